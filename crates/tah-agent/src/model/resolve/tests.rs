//! The rules of choosing a provider.

use super::*;

fn settings(keys: &[&str]) -> ModelSettings {
    let keys = keys.iter().map(|name| ((*name).to_owned(), Key::new(&format!("key of {name}")).unwrap()));
    ModelSettings { keys: keys.collect(), ..ModelSettings::default() }
}

#[test]
fn each_key_has_its_provider() {
    for (key, url, model) in [
        ("DEEPSEEK_API_KEY", "https://api.deepseek.com", "deepseek-chat"),
        ("OPENAI_API_KEY", "https://api.openai.com/v1", "gpt-5.4-mini"),
        ("OPENROUTER_API_KEY", "https://openrouter.ai/api/v1", "deepseek/deepseek-chat"),
    ] {
        let resolved = resolve(&settings(&[key])).unwrap();
        assert_eq!(resolved.endpoint.base_url, url);
        assert_eq!(resolved.profile.name, model);
        assert_eq!(resolved.endpoint.key_variable, Some(key));
        assert!(resolved.profile.window.is_some());
        assert!(!resolved.line.contains("set too"), "{}", resolved.line);
    }
}

#[test]
fn with_both_keys_it_is_deepseek_and_says_so() {
    let resolved = resolve(&settings(&["OPENAI_API_KEY", "DEEPSEEK_API_KEY"])).unwrap();
    assert_eq!(resolved.endpoint.provider.name, "DeepSeek");
    assert_eq!(
        resolved.line,
        "deepseek-chat (DeepSeek); DEEPSEEK_API_KEY is used though OPENAI_API_KEY is set too"
    );
}

#[test]
fn a_model_only_the_other_provider_has_is_meant_for_it() {
    let mut both = settings(&["OPENAI_API_KEY", "DEEPSEEK_API_KEY"]);
    both.model = Some("gpt-4o".into());
    let resolved = resolve(&both).unwrap();
    assert_eq!(resolved.endpoint.provider.name, "OpenAI");
    assert_eq!(resolved.profile.vision, Vision::On);
    both.model = Some("something new".into());
    assert_eq!(resolve(&both).unwrap().endpoint.provider.name, "DeepSeek");
}

#[test]
fn without_anything_the_error_names_the_variables() {
    let error = resolve(&settings(&[])).unwrap_err();
    assert!(error.hint.contains("DEEPSEEK_API_KEY") && error.hint.contains("OPENAI_API_KEY"), "{error:?}");
    assert_eq!(Key::new(" \n"), None);
}

#[test]
fn a_server_on_this_machine_needs_no_key() {
    for url in
        ["http://127.0.0.1:8080/v1", "http://localhost:8080/v1/", "localhost:8080/v1", "http://[::1]:8080/v1"]
    {
        let mut settings = settings(&["DEEPSEEK_API_KEY", "OPENAI_API_KEY"]);
        settings.base_url = Some(url.into());
        let resolved = resolve(&settings).unwrap();
        assert_eq!(resolved.endpoint.key, None, "{url}: another provider's key goes nowhere else");
        assert_eq!(resolved.endpoint.place, Place::Loopback);
        assert_eq!(resolved.profile.name, "default");
        assert!(resolved.endpoint.base_url.ends_with("/v1"), "{}", resolved.endpoint.base_url);
    }
}

#[test]
fn ollama_wants_a_model_named() {
    let mut settings = settings(&[]);
    settings.base_url = Some("http://localhost:11434/v1".into());
    assert!(resolve(&settings).unwrap_err().hint.contains("--model"));
    settings.model = Some("qwen3:4b".into());
    let resolved = resolve(&settings).unwrap();
    assert_eq!(resolved.endpoint.provider.name, "Ollama");
    assert_eq!(resolved.profile.calls_in_text, CallsInText::Recognised);
}

#[test]
fn a_base_url_anywhere_else_needs_its_own_key() {
    let mut settings = settings(&["DEEPSEEK_API_KEY", "OPENAI_API_KEY"]);
    settings.base_url = Some("https://llm.example.org/v1".into());
    settings.model = Some("m".into());
    let error = resolve(&settings).unwrap_err();
    assert!(error.hint.contains("TAH_API_KEY"), "{error:?}");
    settings.keys.insert("TAH_API_KEY".into(), Key::new("mine").unwrap());
    assert_eq!(resolve(&settings).unwrap().endpoint.key, Key::new("mine"));
    settings.base_url = Some("https://api.deepseek.com/v1/chat/completions".into());
    let resolved = resolve(&settings).unwrap();
    assert_eq!(resolved.endpoint.base_url, "https://api.deepseek.com/v1");
    assert_eq!(resolved.endpoint.key_variable, Some("DEEPSEEK_API_KEY"));
}

#[test]
fn openai_base_url_takes_the_openai_key_along() {
    let mut settings = settings(&["OPENAI_API_KEY"]);
    settings.openai_base_url = Some("https://proxy.example.org/v1".into());
    settings.model = Some("m".into());
    let resolved = resolve(&settings).unwrap();
    assert_eq!(resolved.endpoint.base_url, "https://proxy.example.org/v1");
    assert_eq!(resolved.endpoint.key_variable, Some("OPENAI_API_KEY"));
    settings.keys.clear();
    settings.openai_base_url = Some("http://127.0.0.1:1234/v1".into());
    assert_eq!(resolve(&settings).unwrap().endpoint.key, None);
}

#[test]
fn what_is_no_base_url_is_refused() {
    for url in ["", "ftp://x/v1", "http://", "http://api.example.org/v1", "::"] {
        let mut settings = settings(&["TAH_API_KEY"]);
        settings.base_url = Some(url.into());
        settings.model = Some("m".into());
        assert!(resolve(&settings).is_err(), "{url}");
    }
}

#[test]
fn a_key_never_shows() {
    let settings = settings(&["DEEPSEEK_API_KEY"]);
    assert!(!format!("{settings:?}{:?}", resolve(&settings)).contains("key of"));
}

#[test]
fn what_the_user_says_of_a_model_counts() {
    let mut settings = settings(&["DEEPSEEK_API_KEY"]);
    (settings.window, settings.vision) = (Some(1_000_000), Some(Vision::On));
    let profile = resolve(&settings).unwrap().profile;
    assert_eq!((profile.window, profile.vision), (Some(1_000_000), Vision::On));
}
