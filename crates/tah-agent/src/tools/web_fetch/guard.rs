//! Which addresses a page may be fetched from: without being asked for, only ones on the public internet.
//!
//! A name is judged by what it resolves to at the moment of connecting, by the resolver the client uses, so that no
//! second look-up can give another answer. A literal address never reaches a resolver and is judged in the url; the
//! `url` crate has already read `2130706433` and `0x7f.1` as addresses.

use crate::tool::ToolError;
use ipnet::{Ipv4Net, Ipv6Net};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use url::{Host, Url};

/// What a fetch may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Public,
    /// And this one host, which a card has named.
    AlsoHost(String),
    Everything,
}

impl Access {
    fn permits(&self, host: &str) -> bool {
        match self {
            Access::Public => false,
            Access::AlsoHost(named) => named.eq_ignore_ascii_case(host),
            Access::Everything => true,
        }
    }
}

/// Where a url leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Public,
    Private { host: String, address: Option<String> },
}

/// A host that was refused.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{host} is not on the public internet")]
pub(super) struct Refused {
    host: String,
}

impl Refused {
    pub(super) fn error(&self) -> ToolError {
        ToolError::new(format!("refused: {self}"))
            .hint("fetch that url itself, so that the user can be asked about the host")
    }
}

/// Judges the urls of one fetch.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    access: Arc<Access>,
}

impl Guard {
    pub(super) fn new(access: Access) -> Self {
        Guard { access: Arc::new(access) }
    }

    pub(super) fn access(&self) -> &Access {
        &self.access
    }

    pub(super) fn resolver(&self) -> Arc<GuardedResolver> {
        Arc::new(GuardedResolver { access: self.access.clone() })
    }

    /// Refuses a literal address that is not public; a name is the resolver's business.
    pub(super) fn judge(&self, url: &Url) -> Result<(), ToolError> {
        let Some(address) = literal(url) else { return Ok(()) };
        let host = url.host_str().unwrap_or_default();
        if is_public(address) || self.access.permits(host) {
            return Ok(());
        }
        Err(Refused { host: host.to_owned() }.error())
    }
}

fn literal(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address)),
        Host::Domain(_) => None,
    }
}

/// Looks where a url leads, for its card. A name that can't be looked up is public here; connecting will fail.
pub(super) async fn reach(url: &Url) -> Reach {
    let host = url.host_str().unwrap_or_default().to_owned();
    let addresses = match literal(url) {
        Some(address) => vec![address],
        None => match tokio::net::lookup_host((host.as_str(), 0)).await {
            Ok(found) => found.map(|found| found.ip()).collect(),
            Err(_) => Vec::new(),
        },
    };
    match addresses.iter().find(|address| !is_public(**address)) {
        Some(address) => Reach::Private { host, address: Some(address.to_string()) },
        None => Reach::Public,
    }
}

/// Gives the client public addresses only, unless the host may be private.
pub(super) struct GuardedResolver {
    access: Arc<Access>,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let access = self.access.clone();
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            let permitted: Vec<SocketAddr> = match access.permits(&host) {
                true => found.clone(),
                false => found.iter().copied().filter(|address| is_public(address.ip())).collect(),
            };
            if permitted.is_empty() && !found.is_empty() {
                return Err(Refused { host }.into());
            }
            Ok(Box::new(permitted.into_iter()) as Addrs)
        })
    }
}

/// Whether an address is one on the public internet.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

/// This network, private, shared (CGNAT), loopback, link-local with the clouds' metadata, protocol assignments,
/// documentation, benchmarks, multicast, reserved and broadcast.
const NOT_PUBLIC_V4: [Ipv4Net; 14] = [
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(169, 254, 0, 0, 16),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v4(224, 0, 0, 0, 4),
    v4(240, 0, 0, 0, 4),
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    !NOT_PUBLIC_V4.iter().any(|net| net.contains(&address))
}

const fn v6(segments: [u16; 8], prefix: u8) -> Ipv6Net {
    let [a, b, c, d, e, f, g, h] = segments;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, g, h), prefix)
}

/// Discard, local NAT64, Teredo, documentation, unique local, link-local, the old site-local, multicast.
const NOT_PUBLIC_V6: [Ipv6Net; 8] = [
    v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64),
    v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10),
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10),
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8),
];

fn is_public_v6(address: Ipv6Addr) -> bool {
    // Forms that carry a v4 address are what that address is.
    let [a, b, c, d, e, f, g, h] = address.segments();
    let carried = match (a, b, c, d, e, f) {
        // `::1`, `::`, the compatible and the mapped form.
        (0, 0, 0, 0, 0, 0 | 0xffff) | (0, 0, 0, 0, 0xffff, 0) | (0x64, 0xff9b, 0, 0, 0, 0) => Some((g, h)),
        (0x2002, ..) => Some((b, c)),
        _ => None,
    };
    if let Some((high, low)) = carried {
        let [p, q] = high.to_be_bytes();
        let [r, s] = low.to_be_bytes();
        return is_public_v4(Ipv4Addr::new(p, q, r, s));
    }
    !NOT_PUBLIC_V6.iter().any(|net| net.contains(&address))
}

#[cfg(test)]
mod tests;
