//! The one HTTP client: TLS by rustls with ring, the system's certificates, or built-in ones where it has none.

use std::sync::Once;

/// A builder with TLS ready. All HTTP of tah begins here, in tests too.
pub fn builder() -> reqwest::ClientBuilder {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that somebody installed a provider before us, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    reqwest::Client::builder().user_agent(concat!("tah/", env!("CARGO_PKG_VERSION")))
}

/// Builds a client. On a machine without a certificate store building fails even for plain HTTP, so it is tried
/// again with the roots that are compiled in.
pub fn client(
    configure: impl Fn(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
) -> reqwest::Result<reqwest::Client> {
    match configure(builder()).build() {
        Ok(client) => Ok(client),
        Err(_) => {
            let roots = webpki_root_certs::TLS_SERVER_ROOT_CERTS
                .iter()
                .filter_map(|der| reqwest::Certificate::from_der(der).ok());
            configure(builder().tls_certs_only(roots)).build()
        }
    }
}
