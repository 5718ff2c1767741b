//! Addresses: schemes added and refused.

use super::*;

#[test]
fn bp_p8a_scheme_is_added_where_it_is_missing() {
    for (text, whole) in [
        ("localhost:3000/x", "http://localhost:3000/x"),
        ("127.0.0.1:80", "http://127.0.0.1/"),
        ("[::1]:8080", "http://[::1]:8080/"),
        ("devbox:8000", "http://devbox:8000/"),
        ("example.com", "https://example.com/"),
        ("example.com:8443/a?b", "https://example.com:8443/a?b"),
        ("HTTP://Example.com", "http://example.com/"),
        ("about:blank", "about:blank"),
        ("data:text/html,hi", "data:text/html,hi"),
    ] {
        assert_eq!(complete(text).unwrap().as_str(), whole, "{text}");
    }
}

#[test]
fn behaviour_58_other_schemes_are_blocked() {
    for text in [
        "javascript:alert(1)",
        "chrome://settings",
        "view-source:http://x/",
        "ftp://x/",
        "about:config",
        "blob:x",
    ] {
        assert_eq!(complete(text).unwrap_err().code, Code::NavigationBlocked, "{text}");
    }
    assert_eq!(complete("  ").unwrap_err().code, Code::ArgumentInvalid);
}

#[tokio::test]
async fn behaviour_58_files_only_inside_the_working_folder() {
    let dir = tempfile::tempdir().unwrap();
    tokio::fs::write(dir.path().join("a.html"), "x").await.unwrap();
    let rules = HostRules::default();
    let inside = Url::from_file_path(dir.path().join("a.html")).unwrap();
    assert!(check(&inside, &rules, dir.path()).await.is_ok());
    for path in ["/etc/passwd", "/no/such/file"] {
        let outside = Url::from_file_path(path).unwrap();
        assert_eq!(
            check(&outside, &rules, dir.path()).await.unwrap_err().code,
            Code::NavigationBlocked,
            "{path}"
        );
    }
}
