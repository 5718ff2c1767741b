//! Host patterns and private addresses.

use super::*;

fn rules(allow: &[&str], deny: &[&str]) -> HostRules {
    let list = HostList {
        allow: allow.iter().map(|s| (*s).to_owned()).collect(),
        deny: deny.iter().map(|s| (*s).to_owned()).collect(),
    };
    HostRules { navigation: list, ..HostRules::default() }
}

#[test]
fn b85_patterns_of_hosts() {
    let nav = Destination::Navigation;
    let r = rules(&["example.com", "*.test.org", "localhost:3000"], &["bad.test.org"]);
    for (url, good) in [
        ("https://example.com/x", true),
        ("https://EXAMPLE.com./x", true),
        ("https://www.example.com/", false),
        ("https://a.test.org/", true),
        ("https://test.org/", false),
        ("https://eviltest.org/", false),
        ("https://bad.test.org/", false),
        ("http://localhost:3000/", true),
        ("http://localhost:3001/", false),
        ("about:blank", true),
        ("https://example.com@evil.com/", false),
    ] {
        assert_eq!(r.judge(url, nav).is_ok(), good, "{url}");
    }
    assert!(r.judge("https://cdn.elsewhere.net/a.js", Destination::Request).is_ok());
}

#[test]
fn b85_private_addresses() {
    let r = HostRules { private: PrivateHosts::Denied, ..HostRules::default() };
    for url in [
        "http://127.0.0.1/",
        "http://0x7f000001/",
        "http://10.1.2.3/",
        "http://[::1]/",
        "http://[::ffff:192.168.0.1]/",
        "http://localhost/",
        "http://169.254.169.254/latest",
        "http://[64:ff9b::7f00:1]/",
    ] {
        assert!(r.judge(url, Destination::Request).is_err(), "{url}");
    }
    assert!(r.judge("http://93.184.216.34/", Destination::Navigation).is_ok());
}
