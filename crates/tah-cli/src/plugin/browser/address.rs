//! What a model calls a url. `localhost:3000` parses as a scheme and `127.0.0.1:3000` is tried with https, so a
//! scheme is put before addresses that have none (P8a).

use std::net::IpAddr;

/// The address as a browser takes it.
pub fn mend(address: &str) -> String {
    let text = address.trim();
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    if text.is_empty() || authority.ends_with(':') {
        return text.to_owned();
    }
    let (host, port) = split_port(authority);
    // `about:blank`, `data:…` and `mailto:…` are schemes; a port is a number.
    if host.is_empty() || authority.contains(':') && port.is_none() && !authority.starts_with('[') {
        return text.to_owned();
    }
    if is_near(host) {
        return format!("http://{text}");
    }
    // `example.com:8443` would be taken for a scheme too.
    if port.is_some() && host.contains('.') { format!("https://{text}") } else { text.to_owned() }
}

fn split_port(authority: &str) -> (&str, Option<u16>) {
    if let Some(rest) = authority.strip_prefix('[') {
        let (host, after) = rest.split_once(']').unwrap_or((rest, ""));
        return (host, after.strip_prefix(':').and_then(|port| port.parse().ok()));
    }
    match authority.rsplit_once(':') {
        Some((host, port)) => match port.parse() {
            Ok(port) => (host, Some(port)),
            Err(_) => (authority, None),
        },
        None => (authority, None),
    }
}

/// Hosts of this machine and network, which rarely have a certificate.
fn is_near(host: &str) -> bool {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return match ip {
            IpAddr::V4(ip) => {
                ip.is_loopback() || ip.is_private() || ip.is_unspecified() || ip.is_link_local()
            }
            IpAddr::V6(ip) => ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local(),
        };
    }
    let host = host.to_ascii_lowercase();
    let host = host.as_str();
    host == "localhost" || [".localhost", ".local", ".test"].iter().any(|end| host.ends_with(end))
}
