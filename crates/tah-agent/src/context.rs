//! The context budget: how many tokens a request takes, and what is left out when it takes too many. Pure; the
//! turn decides when ([`crate::turn`]).
//!
//! What goes first is what is missed least: pictures and tool output of earlier steps, then whole turns, oldest
//! first. A call and its result stay or go together.

use crate::limits;
use crate::message::{Message, Origin};
use crate::model::{ModelError, Profile, ToolSpec};

#[cfg(test)]
mod tests;

/// What is known of the window and of how well the estimates fit.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Reported tokens for an estimated one, of the last request.
    ratio: f64,
    /// The window as an overflow told it; it counts more than the catalog.
    window: Option<u64>,
    /// Messages the conversation had after it was last made smaller; it is not made smaller again at once.
    settled: Option<usize>,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { ratio: 1.0, window: None, settled: None }
    }
}

impl Budget {
    pub fn window(&self, profile: &Profile) -> Option<u64> {
        self.window.or(profile.window)
    }

    /// Estimated tokens, corrected by what the provider counted before.
    pub fn tokens(&self, estimated: u64) -> u64 {
        (estimated as f64 * self.ratio) as u64
    }

    /// The other way round: how much may be estimated for so many tokens.
    pub fn estimate(&self, tokens: u64) -> u64 {
        (tokens as f64 / self.ratio) as u64
    }

    /// A provider counted a request. A count that can't be right (some report nothing, or only what was not
    /// cached) is not believed.
    pub fn learn(&mut self, estimated: u64, reported: u64) {
        if estimated >= 100 && reported > 0 {
            let ratio = reported as f64 / estimated as f64;
            if (0.3..=4.0).contains(&ratio) {
                self.ratio = ratio;
            }
        }
    }

    /// A provider refused a request as too long.
    pub fn learn_overflow(&mut self, estimated: u64, error: &ModelError) {
        self.learn(estimated, error.overflow.asked.unwrap_or(0));
        // Without a number the window is somewhere below what was asked.
        self.window = error.overflow.window.or(Some(self.tokens(estimated)));
    }

    /// Another model: what was learnt of the last one does not hold.
    pub fn forget_model(&mut self) {
        (self.ratio, self.window) = (1.0, None);
    }

    /// It was made smaller and has so many messages now.
    pub fn settle(&mut self, messages: usize) {
        self.settled = Some(messages);
    }

    /// Another conversation.
    pub fn forget_conversation(&mut self) {
        self.settled = None;
    }

    /// Whether enough was said since it was last made smaller.
    pub fn may_shrink(&self, messages: usize) -> bool {
        self.settled
            .is_none_or(|settled| messages < settled || messages >= settled + limits::SETTLED_MESSAGES)
    }
}

/// Tokens of a text, estimated: four bytes make one, a character of Chinese, Japanese or Korean makes a bit more
/// than one.
pub fn of_text(text: &str) -> u64 {
    if text.is_ascii() {
        return (text.len() as u64).div_ceil(4);
    }
    let eighths: u64 = text
        .chars()
        .map(|c| match c {
            '\0'..='\x7F' => 2,
            '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' => 9,
            '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}' => 9,
            other => 2 * other.len_utf8() as u64,
        })
        .sum();
    eighths.div_ceil(8)
}

/// Tokens of a message, estimated.
pub fn of_message(message: &Message) -> u64 {
    limits::MESSAGE_TOKENS
        + match message {
            Message::User { text, images, .. } => of_text(text) + images.len() as u64 * limits::IMAGE_TOKENS,
            Message::Assistant { text, reasoning, calls, .. } => {
                let calls: u64 = calls
                    .iter()
                    .map(|call| {
                        let input = serde_json::to_string(&call.input).unwrap_or_default();
                        limits::MESSAGE_TOKENS + of_text(&call.name) + of_text(&input)
                    })
                    .sum();
                of_text(text) + of_text(reasoning) + calls
            }
            Message::Tool { text, .. } => of_text(text),
        }
}

pub fn of_messages(messages: &[Message]) -> u64 {
    messages.iter().map(of_message).sum()
}

/// Tokens of what is the same in every request: the rules and the tools.
pub fn of_frame(system: &str, tools: &[ToolSpec]) -> u64 {
    let tools: u64 = tools
        .iter()
        .map(|tool| of_text(&tool.name) + of_text(&tool.description) + of_text(&tool.schema.to_string()))
        .sum();
    of_text(system) + tools
}

/// Leaves out pictures and long tool output of earlier steps, oldest first, until the messages take at most
/// `target` estimated tokens or nothing more can go. The last two steps stay as they are.
pub fn elide(messages: &[Message], target: u64) -> Vec<Message> {
    let mut kept = messages.to_vec();
    let mut total = of_messages(messages);
    let steps = messages
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, message)| matches!(message, Message::Assistant { calls, .. } if !calls.is_empty()));
    let recent = steps.map(|(at, _)| at).nth(1).unwrap_or(0);
    for message in &mut kept[..recent] {
        if total <= target {
            break;
        }
        let before = of_message(message);
        leave_out(message);
        total = total - before + of_message(message);
    }
    kept
}

fn leave_out(message: &mut Message) {
    match message {
        Message::Tool { text, .. } if text.chars().count() > limits::ELIDED_CHARS => {
            let head: String = text.chars().take(limits::ELIDED_CHARS / 2).collect();
            let more = text.chars().count() - head.chars().count();
            *text = format!(
                "{head}\n[{more} more chars of this older output were left out; call the tool again if they matter]"
            );
        }
        Message::User { text, images, .. } if !images.is_empty() => {
            let labels: Vec<&str> = images.iter().map(|image| image.label.as_str()).collect();
            text.push_str(&format!("\n[older picture left out: {}]", labels.join(", ")));
            images.clear();
        }
        _ => {}
    }
}

/// Where messages may be parted: each index begins a user's message, or a reply together with its results.
fn joints(messages: &[Message]) -> impl DoubleEndedIterator<Item = usize> {
    let begins = |message: &Message| match message {
        // Pictures belong to the results before them.
        Message::User { origin, .. } => *origin != Origin::ToolImages,
        Message::Assistant { .. } => true,
        Message::Tool { .. } => false,
    };
    messages.iter().enumerate().filter(move |(_, message)| begins(message)).map(|(at, _)| at)
}

/// Where the kept end begins: as early as `target` estimated tokens allow, at a turn's beginning where there is
/// one, and never so late that nothing is kept.
pub fn cut(messages: &[Message], target: u64) -> usize {
    let mut from = messages.len();
    let mut total = 0;
    let mut best = None;
    for joint in joints(messages).collect::<Vec<_>>().into_iter().rev() {
        total += of_messages(&messages[joint..from]);
        from = joint;
        if total > target && best.is_some() {
            break;
        }
        best = Some(joint);
        if total > target {
            break;
        }
    }
    let earliest = best.unwrap_or(0);
    let is_prompt = |at: &usize| matches!(messages[*at], Message::User { origin: Origin::Person, .. });
    joints(messages).filter(|at| *at >= earliest).find(is_prompt).unwrap_or(earliest)
}

/// The conversation from `cut` on, behind `head`, which stands for what was before. The prompt that is being worked
/// on stays word for word, and a result too long for `target` is cut.
pub fn rebuild(head: String, messages: &[Message], cut: usize, target: u64) -> Vec<Message> {
    let mut kept = vec![Message::User { text: head, images: Vec::new(), origin: Origin::Summary }];
    let is_prompt = |message: &&Message| matches!(message, Message::User { origin: Origin::Person, .. });
    if !messages[cut..].iter().any(|message| is_prompt(&message)) {
        kept.extend(messages[..cut].iter().rfind(is_prompt).cloned());
    }
    let tail = &messages[cut..];
    kept.extend_from_slice(tail);
    let over = of_messages(tail).saturating_sub(target) > 0;
    if over {
        let results = tail.iter().filter(|message| matches!(message, Message::Tool { .. })).count().max(1);
        let each = (target as usize * 4 / results).max(limits::ELIDED_CHARS);
        for message in &mut kept {
            if let Message::Tool { text, .. } = message {
                *text = clipped(text, each);
            }
        }
    }
    kept
}

/// Head and tail of a text.
pub fn clipped(text: &str, chars: usize) -> String {
    let count = text.chars().count();
    if count <= chars {
        return text.to_owned();
    }
    let head: String = text.chars().take(chars / 2).collect();
    let tail: String = text.chars().skip(count - chars / 2).collect();
    format!("{head}\n[{} chars were left out here]\n{tail}", count - chars / 2 * 2)
}

/// The conversation as a text to be summarised, of at most `chars` characters.
pub fn transcript(messages: &[Message], chars: usize) -> String {
    let mut text = String::new();
    for message in messages {
        match message {
            Message::User { text: prompt, origin: Origin::Summary, .. } => {
                text.push_str(&format!("Earlier summary:\n{prompt}\n\n"));
            }
            Message::User { text: prompt, .. } => text.push_str(&format!("User:\n{prompt}\n\n")),
            Message::Assistant { text: answer, calls, .. } => {
                if !answer.is_empty() {
                    text.push_str(&format!("Agent:\n{answer}\n\n"));
                }
                for call in calls {
                    let input = serde_json::to_string(&call.input).unwrap_or_default();
                    let input = clipped(&input, limits::TRANSCRIPT_RESULT_CHARS);
                    text.push_str(&format!("Agent called {} {input}\n\n", call.name));
                }
            }
            Message::Tool { name, text: result, .. } => {
                let result = clipped(result, limits::TRANSCRIPT_RESULT_CHARS);
                text.push_str(&format!("Result of {name}:\n{result}\n\n"));
            }
        }
    }
    clipped(&text, chars)
}
