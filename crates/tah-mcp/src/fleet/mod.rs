//! Several servers at once: started side by side, late ones joining, failed ones noticed, each tool under one name.
//! What a program does with the tools is its own business.

mod names;
mod schema;
mod supervised;

pub use supervised::ServerState;

use crate::error::CallError;
use crate::limits;
use crate::log::lock;
use crate::peer::CallOptions;
use crate::result::CallResult;
use crate::spec::ServerSpec;
use crate::tools::Tool;
use names::Names;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use supervised::Supervised;
use tah_os::process::Launcher;
use tokio::sync::watch;

/// One configured server of a fleet.
#[derive(Debug, Clone)]
pub struct Member {
    pub spec: ServerSpec,
    pub filter: ToolFilter,
    pub presence: Presence,
}

/// Whether the first turn waits for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Presence {
    #[default]
    Optional,
    Required,
}

/// Which tools of a server are mounted: `deny` wins, an empty `allow` is everything. A `*` stands for any text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFilter {
    pub allow: Vec<String>,
    pub deny: Vec<String>,
}

impl ToolFilter {
    /// Whether the tool passes.
    pub fn lets_through(&self, tool: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, tool));
        !any(&self.deny) && (self.allow.is_empty() || any(&self.allow))
    }
}

/// Whether `text` is the pattern, `*` being any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    text.ends_with(last)
}

/// Something the user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub server: String,
    pub text: String,
}

/// Where servers say that something is new.
#[derive(Clone)]
pub(crate) struct Say {
    notices: Arc<Mutex<VecDeque<Notice>>>,
    version: watch::Sender<u64>,
}

impl Say {
    fn notice(&self, server: &str, text: String) {
        let mut notices = lock(&self.notices);
        if notices.len() == limits::NOTICES {
            notices.pop_front();
        }
        notices.push_back(Notice { server: server.to_owned(), text });
        drop(notices);
        self.version.send_modify(|version| *version += 1);
    }

    fn changed(&self) {
        self.version.send_modify(|version| *version += 1);
    }
}

/// A tool under its name for models.
#[derive(Debug, Clone, PartialEq)]
pub struct MountedTool {
    /// `^[a-zA-Z0-9_-]{1,64}$`, unique.
    pub name: String,
    pub server: String,
    /// As the server describes it, with its own name and schema.
    pub tool: Tool,
    /// The description for a model.
    pub description: String,
    /// The schema for a provider (M8).
    pub schema: Value,
}

/// The servers and their tools.
pub struct Fleet {
    members: Vec<(Member, Arc<Supervised>)>,
    catalog: Mutex<Catalog>,
    say: Say,
}

struct Catalog {
    names: Names,
    /// In the order they joined, so that a list only ever grows at its end.
    tools: Vec<Arc<MountedTool>>,
    /// Tools left out, with the reason, so that it is said once.
    refused: HashMap<(String, String), String>,
    version: Option<u64>,
}

impl Fleet {
    /// Starts all members side by side and returns at once. `reserved` are tool names nobody else may have.
    pub fn start(
        members: Vec<Member>,
        launcher: &Launcher,
        reserved: impl IntoIterator<Item = String>,
    ) -> Arc<Self> {
        let say = Say { notices: Arc::default(), version: watch::Sender::new(0) };
        let members = members
            .into_iter()
            .map(|member| {
                let server = Supervised::start(member.spec.clone(), launcher.clone(), say.clone());
                (member, server)
            })
            .collect();
        let names = Names::new(reserved);
        let catalog = Catalog { names, tools: Vec::new(), refused: HashMap::new(), version: None };
        Arc::new(Self { members, catalog: Mutex::new(catalog), say })
    }

    /// Waits until every required member is ready or has failed.
    pub async fn wait_for_required(&self) {
        let required = self.members.iter().filter(|(member, _)| member.presence == Presence::Required);
        futures_util::future::join_all(required.map(|(_, server)| server.settled())).await;
    }

    /// Waits until no member is starting any more.
    pub async fn wait_for_all(&self) {
        futures_util::future::join_all(self.members.iter().map(|(_, server)| server.settled())).await;
    }

    /// Starts those anew, in the background, that could not be started, each with growing pauses. Cheap when there
    /// is nothing to do, so it can be asked before every step.
    pub fn try_failed_again(&self) {
        self.members.iter().for_each(|(_, server)| server.try_again());
    }

    /// Goes up whenever tools or notices may have changed.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.say.version.subscribe()
    }

    /// What is new for the user since the last time.
    pub fn take_notices(&self) -> Vec<Notice> {
        lock(&self.say.notices).drain(..).collect()
    }

    /// Each member with its state, in the order of the configuration.
    pub fn states(&self) -> Vec<(&Member, ServerState)> {
        self.members.iter().map(|(member, server)| (member, server.state())).collect()
    }

    /// The tools at this moment; those that join later come last.
    pub fn tools(&self) -> Vec<Arc<MountedTool>> {
        let mut catalog = lock(&self.catalog);
        let version = *self.say.version.borrow();
        if catalog.version != Some(version) {
            catalog.version = Some(version);
            catalog.refresh(&self.members, &self.say);
        }
        catalog.tools.clone()
    }

    /// Calls a mounted tool.
    pub async fn call(
        &self,
        tool: &MountedTool,
        args: &Value,
        options: &CallOptions,
    ) -> Result<CallResult, CallError> {
        let server = self.members.iter().find(|(member, _)| member.spec.name == tool.server);
        let Some((_, server)) = server else {
            return Err(CallError::Transport {
                server: tool.server.clone(),
                why: "there is no such server".into(),
                sent: crate::error::Sent::No,
            });
        };
        server.call(&tool.tool.name, args, options).await
    }

    /// Ends all members and waits until they are gone.
    pub async fn close(&self) {
        futures_util::future::join_all(self.members.iter().map(|(_, server)| server.close())).await;
    }
}

impl Catalog {
    fn refresh(&mut self, members: &[(Member, Arc<Supervised>)], say: &Say) {
        let mut now: HashMap<String, Arc<MountedTool>> = HashMap::new();
        let mut order: Vec<String> = Vec::new();
        for (member, server) in members {
            for tool in server.tools().iter().filter(|tool| member.filter.lets_through(&tool.name)) {
                match self.mount(&member.spec.name, tool) {
                    Ok(mounted) => {
                        order.push(mounted.name.clone());
                        now.insert(mounted.name.clone(), Arc::new(mounted));
                    }
                    Err(why) => {
                        let key = (member.spec.name.clone(), tool.name.clone());
                        if self.refused.get(&key) != Some(&why) {
                            let (server, tool) = &key;
                            say.notice(
                                server,
                                format!("mcp server {server}: tool {tool} was left out: {why}"),
                            );
                            self.refused.insert(key, why);
                        }
                    }
                }
            }
        }
        self.tools.retain_mut(|tool| match now.remove(&tool.name) {
            Some(current) => {
                *tool = current;
                true
            }
            None => false,
        });
        let joined: Vec<_> = order.iter().filter_map(|name| now.remove(name)).collect();
        self.tools.extend(joined);
    }

    fn mount(&mut self, server: &str, tool: &Tool) -> Result<MountedTool, String> {
        let repaired = schema::repair(&tool.input_schema)?;
        let mut description = tool.description.clone();
        if description.is_empty() {
            description = tool.title.clone().unwrap_or_default();
        }
        if let Some(remark) = repaired.remark {
            description = format!("{description}\n\n{remark}").trim_start().to_owned();
        }
        Ok(MountedTool {
            name: self.names.of(server, &tool.name),
            server: server.to_owned(),
            tool: tool.clone(),
            description,
            schema: repaired.schema,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_let_through_what_they_say() {
        let filter = |allow: &[&str], deny: &[&str]| ToolFilter {
            allow: allow.iter().map(ToString::to_string).collect(),
            deny: deny.iter().map(ToString::to_string).collect(),
        };
        assert!(filter(&[], &[]).lets_through("x"));
        assert!(!filter(&[], &["x"]).lets_through("x"));
        assert!(filter(&["read_*"], &[]).lets_through("read_file"));
        assert!(!filter(&["read_*"], &["*_file"]).lets_through("read_file"));
        assert!(!filter(&["read_*"], &[]).lets_through("write"));
        assert!(filter(&["a*b*c"], &[]).lets_through("a-b-b-c"));
        assert!(!filter(&["a*b*c"], &[]).lets_through("a-c"));
        assert!(!filter(&["ab*bc"], &[]).lets_through("abc"));
    }
}
