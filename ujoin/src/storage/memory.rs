//! Files in memory.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{ReadFile, Storage, StorageLock, WriteFile};

type Bytes = Arc<Mutex<Vec<u8>>>;

/// A [`Storage`] in memory: for tests, and where there is no disk. Clones share the files.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: Arc<Mutex<BTreeMap<String, Bytes>>>,
    locked: Arc<AtomicBool>,
}

impl Memory {
    /// An empty directory.
    #[must_use]
    pub fn new() -> Memory {
        Memory::default()
    }

    /// How many bytes the files have, all together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        lock(&self.files).values().map(|f| lock(f).len() as u64).sum()
    }

    /// The contents of a file.
    #[must_use]
    pub fn contents(&self, name: &str) -> Option<Vec<u8>> {
        lock(&self.files).get(name).map(|f| lock(f).clone())
    }

    /// Puts a file there, for tests of what is damaged.
    pub fn put(&self, name: &str, contents: Vec<u8>) {
        lock(&self.files).insert(name.to_owned(), Arc::new(Mutex::new(contents)));
    }
}

/// Each critical section leaves the data whole, so a panic elsewhere in a holder does no harm.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Storage for Memory {
    fn create(&self, name: &str) -> io::Result<Box<dyn WriteFile>> {
        let bytes = Bytes::default();
        lock(&self.files).insert(name.to_owned(), bytes.clone());
        Ok(Box::new(File(bytes)))
    }

    fn append(&self, name: &str) -> io::Result<Box<dyn WriteFile>> {
        Ok(Box::new(File(lock(&self.files).entry(name.to_owned()).or_default().clone())))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn ReadFile>> {
        match lock(&self.files).get(name) {
            Some(bytes) => Ok(Box::new(File(bytes.clone()))),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut files = lock(&self.files);
        let bytes = files.remove(from).ok_or(io::ErrorKind::NotFound)?;
        files.insert(to.to_owned(), bytes);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        match lock(&self.files).remove(name) {
            Some(_) => Ok(()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn truncate(&self, name: &str, bytes: u64) -> io::Result<()> {
        let files = lock(&self.files);
        let mut contents = lock(files.get(name).ok_or(io::ErrorKind::NotFound)?);
        match usize::try_from(bytes) {
            Ok(n) if n <= contents.len() => contents.truncate(n),
            _ => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        Ok(())
    }

    fn sync_dir(&self) -> io::Result<()> {
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(lock(&self.files).keys().cloned().collect())
    }

    fn lock(&self) -> io::Result<StorageLock> {
        if self.locked.swap(true, Ordering::AcqRel) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(StorageLock::new(Held(self.locked.clone())))
    }

    fn place(&self) -> String {
        "memory".to_owned()
    }
}

/// Clears the flag when dropped.
pub(super) struct Held(pub(super) Arc<AtomicBool>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

struct File(Bytes);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteFile for File {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ReadFile for File {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = lock(&self.0);
        let rest = usize::try_from(offset).ok().and_then(|o| bytes.get(o..)).unwrap_or(&[]);
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(lock(&self.0).len() as u64)
    }
}
