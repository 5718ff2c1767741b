//! Secrets: where they are filled in, and that they never come back.

use super::*;

fn secrets() -> Secrets {
    let text = r#"{
        "PASS": {"hosts": ["shop.test", "*.bank.test"], "value": "p@ss w0rd&"},
        "TOKEN": {"hosts": ["shop.test"], "env": "SHOP_TOKEN"},
        "UNSET": {"hosts": ["shop.test"]}
    }"#;
    Secrets::parse(text, |name| (name == "SHOP_TOKEN").then(|| String::from("tok-123"))).unwrap()
}

#[test]
fn a_secret_is_filled_in_on_its_hosts_only() {
    let secrets = secrets();
    let fill = |url: &str| secrets.fill("x {{secret:PASS}} y {{secret:TOKEN}}", url);
    assert_eq!(fill("https://shop.test/login").unwrap(), "x p@ss w0rd& y tok-123");
    assert_eq!(secrets.fill("{{secret:PASS}}", "https://a.bank.test/").unwrap(), "p@ss w0rd&");
    for url in ["https://evil.test/", "https://bank.test/", "about:blank", "https://shop.test.evil.test/"] {
        assert_eq!(fill(url).unwrap_err().code, Code::SecretRefused, "{url}");
    }
    assert_eq!(secrets.fill("{{secret:UNSET}}", "https://shop.test/").unwrap_err().code, Code::SecretRefused);
    assert_eq!(secrets.fill("{{secret:open", "https://shop.test/").unwrap(), "{{secret:open");
}

#[test]
fn behaviour_76_values_are_masked_in_every_form() {
    let mut value = serde_json::json!({
        "text": "you typed p@ss w0rd& here",
        "url": "https://shop.test/?p=p%40ss+w0rd%26&q=p%40ss%20w0rd%26",
        "deep": [{"p@ss w0rd&": 1}],
    });
    secrets().mask(&mut value);
    let text = value.to_string();
    assert!(!text.contains("w0rd"), "{text}");
    assert_eq!(text.matches("{{secret:PASS}}").count(), 4, "{text}");
}

#[tokio::test]
async fn a_file_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("secrets.json");
    tokio::fs::write(&path, "{}").await.unwrap();
    tokio::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).await.unwrap();
    assert!(matches!(Secrets::load(&path, |_| None).await, Err(SecretsError::Readable { .. })));
    tokio::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).await.unwrap();
    assert!(Secrets::load(&path, |_| None).await.is_ok());
    assert!(Secrets::load(&dir.path().join("none"), |_| None).await.is_ok());
}
