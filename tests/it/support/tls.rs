//! TLS in front of a server on the loopback, with a certificate of an authority that no system knows.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// A file of certificates: `ca.pem` holds the authority, `server.pem` and `client.pem` a certificate with its key.
pub(crate) fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tls").join(name)
}

fn configuration(asks_for_certificate: bool) -> ServerConfig {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = ServerConfig::builder();
    let builder = if asks_for_certificate {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(file("ca.pem")).unwrap()).unwrap();
        builder.with_client_cert_verifier(
            WebPkiClientVerifier::builder(Arc::new(roots)).build().unwrap(),
        )
    } else {
        builder.with_no_client_auth()
    };
    let chain = CertificateDer::pem_file_iter(file("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(file("server.pem")).unwrap();
    builder.with_single_cert(chain.map(Result::unwrap).collect(), key).unwrap()
}

/// Puts TLS in front of the server at `http://127.0.0.1:PORT`, as long as the test runs. Returns its own address.
pub(crate) fn front(plain: &str, asks_for_certificate: bool) -> String {
    let behind = plain.trim_start_matches("http://").to_owned();
    let (tx, url) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            tx.send(format!("https://{}", listener.local_addr().unwrap())).unwrap();
            let acceptor = TlsAcceptor::from(Arc::new(configuration(asks_for_certificate)));
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, behind) = (acceptor.clone(), behind.clone());
                tokio::spawn(async move {
                    // A client that does not trust the certificate, or has none, ends the handshake.
                    let mut stream = match acceptor.accept(stream).into_fallible().await {
                        Ok(stream) => stream,
                        Err((_, mut refused)) => {
                            // Its request is read, or the system would reset the connection before the client has read why.
                            let _ = refused.shutdown().await;
                            let _ = tokio::io::copy(&mut refused, &mut tokio::io::sink()).await;
                            return;
                        }
                    };
                    let mut server = TcpStream::connect(behind).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
                });
            }
        });
    });
    url.recv().unwrap()
}
