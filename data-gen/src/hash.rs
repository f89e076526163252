//! SHA-256 on a thread of its own, so that hashing does not slow the generator down.

use sha2::{Digest, Sha256};
use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

/// Chunks that may wait for the hashing thread.
const WAITING: usize = 4;

/// Passes bytes on and hashes what was accepted.
pub(crate) struct HashingWriter<W> {
    inner: W,
    full: SyncSender<Vec<u8>>,
    empty: Receiver<Vec<u8>>,
    thread: JoinHandle<Sha256>,
}

impl<W: Write> HashingWriter<W> {
    pub(crate) fn new(inner: W) -> io::Result<Self> {
        let (full, incoming) = sync_channel::<Vec<u8>>(WAITING);
        let (outgoing, empty) = channel();
        let thread = std::thread::Builder::new().name("sha-256".to_owned()).spawn(move || {
            let mut hash = Sha256::new();
            for mut chunk in incoming {
                hash.update(&chunk);
                chunk.clear();
                // The writer may be gone; then nobody needs the chunk.
                let _ = outgoing.send(chunk);
            }
            hash
        })?;
        Ok(Self { inner, full, empty, thread })
    }

    /// The inner writer and the hash in hexadecimal.
    pub(crate) fn finish(self) -> io::Result<(W, String)> {
        let Self { inner, full, thread, .. } = self;
        drop(full);
        let hash = thread.join().map_err(|_| io::Error::other("the hashing thread panicked"))?;
        Ok((inner, hexadecimal(hash)))
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let accepted = self.inner.write(bytes)?;
        let mut chunk = self.empty.try_recv().unwrap_or_default();
        chunk.extend_from_slice(&bytes[..accepted]);
        self.full.send(chunk).map_err(|_| io::Error::other("the hashing thread ended"))?;
        Ok(accepted)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The length and the SHA-256 of what a reader yields.
pub(crate) fn measure(mut from: impl Read) -> io::Result<(u64, String)> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 256 * 1024];
    let mut bytes = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok((bytes, hexadecimal(hash))),
            Ok(n) => {
                hash.update(&buffer[..n]);
                bytes += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hexadecimal(hash: Sha256) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |d: u8| char::from(DIGITS[usize::from(d)]);
    hash.finalize().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
