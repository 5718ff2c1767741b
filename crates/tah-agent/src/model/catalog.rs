//! The providers tah knows, as data. What is peculiar to one is a column here, never an `if` somewhere else.
//! Which of them a run uses is decided in [`super::resolve`].

use crate::model::CallsInText;
use crate::tool::Vision;
use std::time::Duration;

/// One row of the table.
#[derive(Debug, PartialEq)]
pub struct Provider {
    pub name: &'static str,
    /// The environment variable its key is in; absent where no key is needed.
    pub key_variable: Option<&'static str>,
    /// The part before `/chat/completions`.
    pub base_url: &'static str,
    /// Asked for when nothing else is said; absent where only the user can know.
    pub default_model: Option<&'static str>,
    /// What is known of its models; the first row whose prefix fits counts.
    pub models: &'static [ModelRow],
    /// Output tokens asked for at most; absent leaves it to the provider.
    pub max_output: Option<u64>,
    pub max_output_field: MaxOutputField,
    pub reasoning: ReasoningBack,
    pub stream_usage: StreamUsage,
    pub calls_in_text: CallsInText,
    /// How long a stream may be silent. Local servers are silent while they read a long prompt.
    pub silence: Duration,
}

/// What is known of a model, by the beginning of its name.
#[derive(Debug, PartialEq)]
pub struct ModelRow {
    pub prefix: &'static str,
    /// Tokens.
    pub window: Option<u64>,
    pub vision: Vision,
    pub price: Option<Price>,
}

/// US dollars for a million tokens, as last known; providers change them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    pub input: f64,
    pub cached: f64,
    pub output: f64,
}

/// The name of the field that limits the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxOutputField {
    MaxTokens,
    MaxCompletionTokens,
}

impl MaxOutputField {
    pub fn name(self) -> &'static str {
        match self {
            MaxOutputField::MaxTokens => "max_tokens",
            MaxOutputField::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// Whether what the model thought goes back to the provider with the next request (S5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningBack {
    /// In this field of each assistant message, as soon as one message of the conversation has some.
    Field(&'static str),
    Never,
}

/// Whether the usage is asked for with `stream_options` (S4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamUsage {
    Asked,
    NotAsked,
}

const fn row(prefix: &'static str, window: u64, vision: Vision, price: Option<Price>) -> ModelRow {
    ModelRow { prefix, window: Some(window), vision, price }
}

const fn dollars(input: f64, cached: f64, output: f64) -> Option<Price> {
    Some(Price { input, cached, output })
}

const CLOUD_SILENCE: Duration = Duration::from_secs(180);
const LOCAL_SILENCE: Duration = Duration::from_secs(900);

pub static DEEPSEEK: Provider = Provider {
    name: "DeepSeek",
    key_variable: Some("DEEPSEEK_API_KEY"),
    base_url: "https://api.deepseek.com",
    default_model: Some("deepseek-chat"),
    models: &[
        row("deepseek-chat", 131_072, Vision::Off, dollars(0.28, 0.028, 0.42)),
        row("deepseek-reasoner", 131_072, Vision::Off, dollars(0.28, 0.028, 0.42)),
        row("deepseek-", 131_072, Vision::Off, None),
    ],
    // Its own default is 4,096, too little for a file.
    max_output: Some(8_192),
    max_output_field: MaxOutputField::MaxTokens,
    reasoning: ReasoningBack::Field("reasoning_content"),
    stream_usage: StreamUsage::Asked,
    calls_in_text: CallsInText::Never,
    silence: CLOUD_SILENCE,
};

pub static OPENAI: Provider = Provider {
    name: "OpenAI",
    key_variable: Some("OPENAI_API_KEY"),
    base_url: "https://api.openai.com/v1",
    default_model: Some("gpt-5.4-mini"),
    models: &[
        row("gpt-5", 400_000, Vision::On, None),
        row("gpt-4.1", 1_047_576, Vision::On, None),
        row("gpt-4o", 128_000, Vision::On, None),
        row("gpt-4", 128_000, Vision::On, None),
        row("o", 200_000, Vision::On, None),
    ],
    max_output: None,
    max_output_field: MaxOutputField::MaxCompletionTokens,
    reasoning: ReasoningBack::Never,
    stream_usage: StreamUsage::Asked,
    calls_in_text: CallsInText::Never,
    silence: CLOUD_SILENCE,
};

pub static OPENROUTER: Provider = Provider {
    name: "OpenRouter",
    key_variable: Some("OPENROUTER_API_KEY"),
    base_url: "https://openrouter.ai/api/v1",
    default_model: Some("deepseek/deepseek-chat"),
    models: &[
        row("deepseek/", 131_072, Vision::Off, None),
        row("openai/gpt-5", 400_000, Vision::On, None),
        row("anthropic/", 200_000, Vision::On, None),
        row("google/gemini", 1_048_576, Vision::On, None),
    ],
    max_output: None,
    max_output_field: MaxOutputField::MaxTokens,
    reasoning: ReasoningBack::Field("reasoning"),
    stream_usage: StreamUsage::Asked,
    calls_in_text: CallsInText::Never,
    silence: CLOUD_SILENCE,
};

pub static OLLAMA: Provider = Provider {
    name: "Ollama",
    key_variable: None,
    base_url: "http://127.0.0.1:11434/v1",
    // It serves whatever was pulled.
    default_model: None,
    models: &[
        ModelRow { prefix: "llava", window: None, vision: Vision::On, price: None },
        ModelRow { prefix: "gemma3", window: None, vision: Vision::On, price: None },
        ModelRow { prefix: "qwen2.5vl", window: None, vision: Vision::On, price: None },
    ],
    max_output: None,
    max_output_field: MaxOutputField::MaxTokens,
    reasoning: ReasoningBack::Never,
    stream_usage: StreamUsage::Asked,
    calls_in_text: CallsInText::Recognised,
    silence: LOCAL_SILENCE,
};

/// llama.cpp's server and everything else on this machine. llama.cpp serves one model and ignores its name.
pub static LOCAL: Provider = Provider {
    name: "local server",
    key_variable: None,
    base_url: "http://127.0.0.1:8080/v1",
    default_model: Some("default"),
    models: &[],
    max_output: None,
    max_output_field: MaxOutputField::MaxTokens,
    reasoning: ReasoningBack::Never,
    stream_usage: StreamUsage::Asked,
    calls_in_text: CallsInText::Recognised,
    silence: LOCAL_SILENCE,
};

/// Any other base URL.
pub static OTHER: Provider = Provider {
    name: "provider",
    key_variable: Some("TAH_API_KEY"),
    base_url: "",
    default_model: None,
    models: &[],
    max_output: None,
    max_output_field: MaxOutputField::MaxTokens,
    reasoning: ReasoningBack::Never,
    stream_usage: StreamUsage::Asked,
    calls_in_text: CallsInText::Never,
    silence: CLOUD_SILENCE,
};

/// The providers that are chosen by a key alone, in order of preference.
pub static BY_KEY: [&Provider; 3] = [&DEEPSEEK, &OPENAI, &OPENROUTER];

/// The providers a base URL is recognised as.
pub static BY_URL: [&Provider; 4] = [&DEEPSEEK, &OPENAI, &OPENROUTER, &OLLAMA];

impl Provider {
    /// What is known of one of its models.
    pub fn model(&self, name: &str) -> Option<&'static ModelRow> {
        self.models.iter().find(|row| name.starts_with(row.prefix))
    }
}
