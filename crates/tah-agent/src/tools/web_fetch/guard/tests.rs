//! Addresses and where they lead.

use super::*;

#[test]
fn addresses_that_are_not_public() {
    for text in [
        "127.0.0.1",
        "127.9.9.9",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "198.18.0.1",
        "::1",
        "::",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "fe80::1",
        "fd00::1",
        "fc00::1",
        "ff02::1",
        "fec0::1",
        "2001:db8::1",
        "2001::1",
        "fd00:ec2::254",
    ] {
        assert!(!is_public(text.parse().unwrap()), "{text}");
    }
    for text in [
        "1.1.1.1",
        "8.8.8.8",
        "172.32.0.1",
        "100.128.0.1",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
    ] {
        assert!(is_public(text.parse().unwrap()), "{text}");
    }
}

#[test]
fn literals_in_every_spelling_are_judged_in_the_url() {
    let guard = Guard::new(Access::Public);
    for url in [
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://169.254.169.254/latest",
        "http://0/",
        "http://①②⑦.0.0.1/",
        "http://user@127.0.0.1:80/",
    ] {
        assert!(guard.judge(&Url::parse(url).unwrap()).is_err(), "{url}");
    }
    let named = Guard::new(Access::AlsoHost("127.0.0.1".to_owned()));
    assert!(named.judge(&Url::parse("http://127.1:8080/").unwrap()).is_ok());
    assert!(named.judge(&Url::parse("http://127.0.0.2/").unwrap()).is_err());
}
