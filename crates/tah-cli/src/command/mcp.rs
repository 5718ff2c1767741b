//! `tah mcp list | test NAME | call NAME TOOL JSON`: what is configured, what answers, in how many ms, and what a failing
//! server says. Serving is left to `serve_mcp`.

use crate::args::{McpArgs, McpCommand};
use crate::config::ConfigError;
use crate::config::settings::{Given, TrustForRun};
use crate::exit::Exit;
use crate::limits;
use crate::plugin::mcp;
use crate::ui;
use futures_util::future::join_all;
use serde_json::Value;
use std::time::{Duration, Instant};
use tah_mcp::{CallOptions, Client, CloseOrder, Member, Reach, StartError};
use tah_os::process::Launcher;
use tah_os::text::shorten;
use tokio_util::sync::CancellationToken;

pub async fn mcp(mut args: McpArgs) -> anyhow::Result<Exit> {
    // Serving has nothing to do with the configured servers, so their settings can't be in its way.
    let command = match args.command.take() {
        Some(McpCommand::Serve(serve)) => return super::serve_mcp::serve_mcp(*serve).await,
        other => other.unwrap_or(McpCommand::List),
    };
    let trust = if args.trust { TrustForRun::Trusted } else { TrustForRun::AsListed };
    let given = Given { cwd: args.folder.cwd.clone(), trust, ..Given::default() };
    let settings = super::load_settings(&given)?;
    let members = mcp::members(&settings, &Default::default())?;
    match command {
        McpCommand::List | McpCommand::Serve(_) => list(&members).await,
        McpCommand::Test { name } => test(find(&members, &name)?).await,
        McpCommand::Call { name, tool, arguments } => {
            call(find(&members, &name)?, &tool, arguments.as_deref().unwrap_or("{}")).await
        }
    }
}

fn find<'a>(members: &'a [Member], name: &str) -> Result<&'a Member, ConfigError> {
    members.iter().find(|member| member.spec.name == name).ok_or_else(|| {
        let error = ConfigError::new(format!("no MCP server is named {name}"));
        let names: Vec<&str> = members.iter().map(|member| &*member.spec.name).collect();
        match tah_agent::tool::nearest(name, names.iter().copied()) {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None if names.is_empty() => {
                error.hint("none is configured; see `extensions.mcp` in docs/configuration.md")
            }
            None => error.hint(format!("configured: {}", names.join(", "))),
        }
    })
}

/// Starts a server and takes the time.
async fn start(member: &Member) -> (Result<Client, StartError>, Duration) {
    let begun = Instant::now();
    let cancel = CancellationToken::new();
    let started = Client::start(&member.spec, &Launcher::this_program(), &cancel).await;
    (started, begun.elapsed())
}

async fn list(members: &[Member]) -> anyhow::Result<Exit> {
    if members.is_empty() {
        ui::tell("no MCP servers are configured (`extensions.mcp`)");
        return Ok(Exit::Finished);
    }
    let width = members.iter().map(|member| member.spec.name.chars().count()).max().unwrap_or(0);
    let started = join_all(members.iter().map(start)).await;
    let mut exit = Exit::Finished;
    for (member, (started, took)) in members.iter().zip(started) {
        let (name, ms) = (&member.spec.name, took.as_millis());
        let reached = reached(&member.spec.reach);
        match started {
            Ok(client) => {
                let tools =
                    client.tools().iter().filter(|tool| member.filter.lets_through(&tool.name)).count();
                let _ =
                    ui::answer(&format!("{name:width$}  ok      {ms:>6} ms  {tools:>3} tools  {reached}"));
                client.close(CloseOrder::StdinFirst).await;
            }
            Err(error) => {
                exit = Exit::Failed;
                let _ = ui::answer(&format!("{name:width$}  failed  {ms:>6} ms             {reached}"));
                ui::fail(&error.to_string(), error.hint().as_deref());
            }
        }
    }
    Ok(exit)
}

/// How a server is reached, in a line without anything secret.
fn reached(reach: &Reach) -> String {
    match reach {
        Reach::Stdio { command, args, .. } => {
            let mut line = command.display().to_string();
            for arg in args {
                line.push(' ');
                line.push_str(&arg.to_string_lossy());
            }
            shorten(&line, 100).into_owned()
        }
        // what follows the path may be a key
        Reach::Http { url, .. } => url.split(['?', '#']).next().unwrap_or_default().to_owned(),
    }
}

async fn test(member: &Member) -> anyhow::Result<Exit> {
    let (started, took) = start(member).await;
    let client = match started {
        Ok(client) => client,
        Err(error) => {
            ui::fail(&error.to_string(), error.hint().as_deref());
            return Ok(Exit::Failed);
        }
    };
    let info = client.info();
    let mut lines = vec![
        format!("{}: {} {}", member.spec.name, info.name, info.version).trim_end().to_owned(),
        format!("protocol {}, ready in {} ms", info.protocol, took.as_millis()),
    ];
    let begun = Instant::now();
    let options = CallOptions { timeout: Some(limits::PING_WAIT), ..CallOptions::default() };
    lines.push(match client.ping(&options).await {
        Ok(()) => format!("ping answered in {:.1} ms", begun.elapsed().as_secs_f64() * 1e3),
        Err(error) => format!("ping failed: {error}"),
    });
    let tools = client.tools();
    lines.push(format!("{} tools:", tools.len()));
    for tool in tools.iter() {
        let mark = if member.filter.lets_through(&tool.name) {
            ""
        } else {
            " (not mounted: tools.allow, tools.deny)"
        };
        let first = tool.description.lines().next().unwrap_or_default();
        lines.push(format!("  {}{mark}  {}", tool.name, shorten(first, 80)));
    }
    let _ = ui::answer(&lines.join("\n"));
    for notice in client.take_notices() {
        ui::tell(&format!("notice: {notice}"));
    }
    for line in client.last_words().await {
        ui::tell(&format!("stderr: {line}"));
    }
    client.close(CloseOrder::StdinFirst).await;
    Ok(Exit::Finished)
}

async fn call(member: &Member, tool: &str, arguments: &str) -> anyhow::Result<Exit> {
    let wrong = |why: String| ConfigError::new(why).hint("like '{\"path\": \"x\"}'");
    let arguments: Value = serde_json::from_str(arguments)
        .map_err(|error| wrong(format!("the arguments are no JSON: {error}")))?;
    if !arguments.is_object() {
        return Err(wrong("the arguments are no JSON object".into()).into());
    }
    let (started, _) = start(member).await;
    let client = match started {
        Ok(client) => client,
        Err(error) => {
            ui::fail(&error.to_string(), error.hint().as_deref());
            return Ok(Exit::Failed);
        }
    };
    let exit = match client.call(tool, &arguments, &Default::default()).await {
        Ok(result) if result.is_error => {
            ui::fail(&result.into_text(), None);
            Exit::Failed
        }
        Ok(result) => {
            let _ = ui::answer(&result.into_text());
            Exit::Finished
        }
        Err(error) => {
            ui::fail(&error.to_string(), error.hint().as_deref());
            Exit::Failed
        }
    };
    client.close(CloseOrder::StdinFirst).await;
    Ok(exit)
}
