//! The table of events that `docs/events.md` is made from. A test holds it against the types.
//! (tidy: a table)

/// One event: its `type`, its fields with their meaning, and when it comes.
pub struct EventRow {
    pub kind: &'static str,
    pub when: &'static str,
    /// Field and meaning; a `?` at the end of a name says that it may be absent.
    pub fields: &'static [(&'static str, &'static str)],
}

pub const EVENTS: &[EventRow] = &[
    EventRow {
        kind: "session",
        when: "First, and again after a reset, a resume or a fork: the session what follows belongs to.",
        fields: &[
            ("id", "its id"),
            ("path?", "its file; absent where nothing is kept"),
            ("model", "the model, as the provider names it"),
            ("cwd", "the working folder"),
            ("messages", "how many messages it already holds"),
        ],
    },
    EventRow {
        kind: "user",
        when: "A prompt was taken; its turn begins.",
        fields: &[
            ("turn", "the turn's id"),
            ("text", "the prompt"),
            ("images?", "how many pictures came with it"),
        ],
    },
    EventRow { kind: "text", when: "A piece of the answer.", fields: &[("text", "the piece")] },
    EventRow {
        kind: "reasoning",
        when: "A piece of what the model thought; no part of the answer.",
        fields: &[("text", "the piece")],
    },
    EventRow {
        kind: "retract",
        when: "The text since the last `reply.end` is thrown away: the request is sent again.",
        fields: &[],
    },
    EventRow {
        kind: "reply.end",
        when: "The model's reply is whole.",
        fields: &[("calls", "how many tool calls it holds")],
    },
    EventRow {
        kind: "tool.start",
        when: "A call begins (it may still have to be approved).",
        fields: &[
            ("callId", "the call's id"),
            ("tool", "the tool's name"),
            ("summary", "the call in a few words"),
        ],
    },
    EventRow {
        kind: "tool.output",
        when: "Live output of a running call.",
        fields: &[("callId", "the call's id"), ("chunk", "the output")],
    },
    EventRow {
        kind: "tool.end",
        when: "The call has its result; each `tool.start` is followed by exactly one.",
        fields: &[
            ("callId", "the call's id"),
            ("ok", "whether it did what it was asked"),
            ("result", "the result in one line, for people"),
            ("ms", "how long it took, with the time it waited for approval, in ms"),
        ],
    },
    EventRow {
        kind: "approval",
        when: "A call waits for an answer.",
        fields: &[
            ("id", "the question's id"),
            ("callId", "the call's id"),
            ("tool", "the tool's name"),
            (
                "card",
                "`title`; `lines`, each `{kind, text}` with kind `command`, `path`, `url`, `diff` or `text`; \
                 `always?`, what an \"always\" would cover; `insistence?`, `everyTime` where no rule silences it",
            ),
        ],
    },
    EventRow {
        kind: "approval.end",
        when: "The answer.",
        fields: &[
            ("id", "the question's id"),
            ("answer", "`{answer}`: `yes`, `always` or `no`, with a `reason?`"),
        ],
    },
    EventRow {
        kind: "notice",
        when: "Something the user should know.",
        fields: &[("level", "`info` or `warning`"), ("text", "what")],
    },
    EventRow {
        kind: "usage",
        when: "The tokens of one model request.",
        fields: &[
            ("input", "tokens sent"),
            ("output", "tokens that came back"),
            ("cached?", "of the tokens sent, those the provider had cached"),
            ("window?", "tokens the model's context window holds, where it is known"),
        ],
    },
    EventRow {
        kind: "todo",
        when: "The plan the model keeps, whole, each time it changes.",
        fields: &[("items", "each `{text, state}` with state `pending`, `in_progress` or `done`")],
    },
    EventRow {
        kind: "summary.end",
        when: "A summary the user asked for (`/compact`) is written, was stopped or did not come.",
        fields: &[("reason", "`finished`, `cancelled` or `failed`")],
    },
    EventRow {
        kind: "turn.end",
        when: "The turn is over.",
        fields: &[
            ("reason", "`finished`, `denied`, `step_limit`, `truncated` or `cancelled`"),
            ("steps", "model requests it took"),
        ],
    },
    EventRow {
        kind: "turn.error",
        when: "The turn could not go on.",
        fields: &[("reason", "`failed`"), ("message", "why"), ("hint?", "what to do about it")],
    },
];

/// `docs/events.md`.
pub fn markdown() -> String {
    let mut text = String::from(
        "# Events\n\n\
         What `tah run --json` prints, one JSON object a line, and what every front end is drawn from. \
         The last line of a run is a `turn.end` or a `turn.error`. New fields and new types may be added; \
         none changes its meaning.\n\n\
         Made from the table in `crates/tah-agent/src/event/catalog.rs`.\n",
    );
    for row in EVENTS {
        text.push_str(&format!("\n## `{}`\n{}\n", row.kind, row.when));
        if !row.fields.is_empty() {
            text.push_str("\n| field | meaning |\n| --- | --- |\n");
        }
        for (field, meaning) in row.fields {
            let optional = if field.ends_with('?') { " (may be absent)" } else { "" };
            text.push_str(&format!("| `{}`{optional} | {meaning} |\n", field.trim_end_matches('?')));
        }
    }
    text
}
