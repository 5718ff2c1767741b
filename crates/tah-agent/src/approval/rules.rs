//! Allow, ask and deny rules: `tool` or `tool(pattern)`, where `*` stands for anything; the last match wins.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleEffect {
    Allow,
    Ask,
    Deny,
}

/// What a rule applies to.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    tool: regex::Regex,
    argument: Option<regex::Regex>,
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A rule that cannot be read.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the rule `{0}` is not of the form `tool` or `tool(pattern)`")]
pub struct RuleError(String);

impl FromStr for Pattern {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let fault = || RuleError(text.to_owned());
        let trimmed = text.trim();
        let (tool, argument) = match trimmed.split_once('(') {
            None => (trimmed, None),
            Some((tool, rest)) => (tool.trim(), Some(rest.strip_suffix(')').ok_or_else(fault)?)),
        };
        let legal = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '*' | '.');
        if tool.is_empty() || !tool.chars().all(legal) {
            return Err(fault());
        }
        Ok(Pattern {
            text: trimmed.to_owned(),
            tool: wildcard(tool).map_err(|_| fault())?,
            argument: argument.map(wildcard).transpose().map_err(|_| fault())?,
        })
    }
}

fn wildcard(pattern: &str) -> Result<regex::Regex, regex::Error> {
    let parts: Vec<String> = pattern.split('*').map(regex::escape).collect();
    regex::RegexBuilder::new(&format!("^{}$", parts.join(".*"))).dot_matches_new_line(true).build()
}

/// What the rules say of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// No rule speaks of it.
    Silent,
    Allow,
    Ask,
    /// The rule that refused it.
    Deny(String),
}

/// Rules in the order they were given: configuration first, then flags.
#[derive(Clone, Debug, Default)]
pub struct Rules(Vec<(RuleEffect, Pattern)>);

impl Rules {
    pub fn push(&mut self, effect: RuleEffect, pattern: Pattern) {
        self.0.push((effect, pattern));
    }

    /// Each subject (a simple command of a line, a path) is judged by the last rule that matches it. One denied
    /// subject denies the call; allowed is a call only if all its subjects are.
    pub fn ruling(&self, tool: &str, subjects: &[String]) -> Ruling {
        if subjects.is_empty() {
            return self.judge(tool, None);
        }
        let mut whole = Ruling::Allow;
        for subject in subjects {
            match self.judge(tool, Some(subject)) {
                Ruling::Deny(rule) => return Ruling::Deny(rule),
                Ruling::Ask => whole = Ruling::Ask,
                Ruling::Silent if whole == Ruling::Allow => whole = Ruling::Silent,
                Ruling::Silent | Ruling::Allow => {}
            }
        }
        whole
    }

    fn judge(&self, tool: &str, subject: Option<&str>) -> Ruling {
        let matches = |pattern: &Pattern| {
            pattern.tool.is_match(tool)
                && match (&pattern.argument, subject) {
                    (None, _) => true,
                    (Some(argument), Some(subject)) => argument.is_match(subject),
                    (Some(_), None) => false,
                }
        };
        match self.0.iter().rev().find(|(_, pattern)| matches(pattern)) {
            None => Ruling::Silent,
            Some((RuleEffect::Allow, _)) => Ruling::Allow,
            Some((RuleEffect::Ask, _)) => Ruling::Ask,
            Some((RuleEffect::Deny, pattern)) => Ruling::Deny(pattern.to_string()),
        }
    }
}
