//! Which hosts the browser may talk to: one list for navigations, one for everything a page requests (B85), and
//! whether private addresses count as hosts like others. Judging only; holding requests back is done in `state`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

#[cfg(test)]
mod tests;

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// A page of its own: typed, clicked, redirected to, or opened as a window.
    Navigation,
    /// Anything a page loads: scripts, pictures, frames, fetches.
    Request,
}

/// What to do with loopback, link-local and private addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PrivateHosts {
    #[default]
    Allowed,
    Denied,
}

/// Host patterns: `example.com`, `*.example.com` (its subdomains), `*`, each with an optional `:port`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostList {
    /// Empty: all that is not denied.
    pub allow: Vec<String>,
    pub deny: Vec<String>,
}

/// The rules of one browser.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostRules {
    pub navigation: HostList,
    pub requests: HostList,
    pub private: PrivateHosts,
}

/// Why an address is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{host} is on the list of denied hosts")]
    Denied { host: String },
    #[error("{host} is not on the list of allowed hosts ({allowed})")]
    NotAllowed { host: String, allowed: String },
    #[error("{host} is a private address, and those are denied here")]
    Private { host: String },
}

impl HostRules {
    /// Whether there is nothing to enforce.
    pub fn is_open(&self) -> bool {
        *self == HostRules::default()
    }

    /// Judges one address; schemes without a host (`data:`, `blob:`, `about:`) pass.
    pub fn judge(&self, url: &str, destination: Destination) -> Result<(), Refusal> {
        if self.is_open() {
            return Ok(());
        }
        let Ok(url) = Url::parse(url) else { return Ok(()) };
        let Some(host) = url.host() else { return Ok(()) };
        let list = match destination {
            Destination::Navigation => &self.navigation,
            Destination::Request => &self.requests,
        };
        let name = host.to_string().trim_end_matches('.').to_ascii_lowercase();
        let port = url.port_or_known_default();
        let matches =
            |patterns: &[String]| patterns.iter().any(|pattern| matches_pattern(pattern, &name, port));
        if matches(&list.deny) {
            return Err(Refusal::Denied { host: name });
        }
        if !list.allow.is_empty() && !matches(&list.allow) {
            return Err(Refusal::NotAllowed { host: name, allowed: list.allow.join(", ") });
        }
        if self.private == PrivateHosts::Denied && is_private(&host) && !matches(&list.allow) {
            return Err(Refusal::Private { host: name });
        }
        Ok(())
    }
}

/// Whether an address has a host that the pattern names.
pub(crate) fn matches_host(pattern: &str, url: Option<&Url>) -> bool {
    url.and_then(|url| Some((url.host()?.to_string(), url.port_or_known_default())))
        .is_some_and(|(host, port)| matches_pattern(pattern, host.trim_end_matches('.'), port))
}

fn matches_pattern(pattern: &str, host: &str, port: Option<u16>) -> bool {
    let pattern = pattern.trim().to_ascii_lowercase();
    // `host:port`, but not the colons of a bare IPv6 address.
    let (pattern, wanted) = match pattern.rsplit_once(':') {
        Some((before, digits)) if !before.is_empty() && (!before.contains(':') || before.ends_with(']')) => {
            match digits.parse::<u16>() {
                Ok(port) => (before.to_owned(), Some(port)),
                Err(_) => (pattern.clone(), None),
            }
        }
        _ => (pattern.clone(), None),
    };
    if wanted.is_some() && wanted != port {
        return false;
    }
    let pattern = pattern.trim_end_matches('.');
    match pattern.strip_prefix("*.") {
        Some(domain) => {
            host.len() > domain.len() + 1
                && host.ends_with(domain)
                && host[..host.len() - domain.len()].ends_with('.')
        }
        None => pattern == "*" || pattern == host || format!("[{pattern}]") == host,
    }
}

fn is_private(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            name == "localhost"
                || name.ends_with(".localhost")
                || name.ends_with(".local")
                || name.ends_with(".internal")
        }
        Host::Ipv4(address) => is_private_address(IpAddr::V4(*address)),
        Host::Ipv6(address) => is_private_address(IpAddr::V6(*address)),
    }
}

/// Loopback, private, link-local, shared, unspecified, multicast and documentation ranges.
pub fn is_private_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let shared = v4.octets()[0] == 100 && (64..128).contains(&v4.octets()[1]);
            v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_unspecified()
                || v4.is_broadcast()
                || v4.is_multicast()
                || shared
                || v4.octets()[0] == 0
                || v4 == Ipv4Addr::new(192, 0, 0, 192)
        }
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => is_private_address(IpAddr::V4(v4)),
            None => {
                v6.is_loopback()
                    || v6.is_unspecified()
                    || v6.is_multicast()
                    || v6.is_unique_local()
                    || v6.is_unicast_link_local()
                    || embeds_private(v6)
            }
        },
    }
}

/// NAT64 (`64:ff9b::/96`) and 6to4 (`2002::/16`) carry an IPv4 address.
fn embeds_private(v6: Ipv6Addr) -> bool {
    let s = v6.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_private_address(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
    };
    (s[0] == 0x64 && s[1] == 0xff9b && v4(s[6], s[7])) || (s[0] == 0x2002 && v4(s[1], s[2]))
}
