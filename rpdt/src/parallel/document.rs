//! A document that can be read at any place: a slice, or a file.

use std::fs::File;
use std::io;

use memchr::memmem::Finder;

/// Bytes that are read from a file at a time.
const BLOCK: usize = 256 << 10;
/// Bytes that are read at first where something is looked for that is thought to be near.
const LOOK: u64 = 4 << 10;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Document<'a> {
    Slice(&'a [u8]),
    /// With its length when the run began.
    File(&'a File, u64),
}

impl<'a> Document<'a> {
    pub(crate) fn len(self) -> u64 {
        match self {
            Document::Slice(bytes) => bytes.len() as u64,
            Document::File(_, len) => len,
        }
    }

    /// At most so many bytes from a place on, and at most [`BLOCK`]; none at the end only. The
    /// buffer is used where there is no other place for them.
    pub(super) fn read<'b>(
        self,
        at: u64,
        most: u64,
        buffer: &'b mut Vec<u8>,
    ) -> io::Result<&'b [u8]>
    where
        'a: 'b,
    {
        let most = usize::try_from(most).map_or(BLOCK, |most| most.min(BLOCK));
        match self {
            Document::Slice(bytes) => {
                let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..));
                let rest = rest.unwrap_or_default();
                Ok(&rest[..rest.len().min(most)])
            }
            Document::File(file, _) => {
                if buffer.len() < most {
                    buffer.resize(most, 0);
                }
                loop {
                    match read_at(file, &mut buffer[..most], at) {
                        Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                        Ok(n) => return Ok(&buffer[..n]),
                        Err(e) => return Err(e),
                    }
                }
            }
        }
    }

    /// The first place in a range at which some bytes stand whose continuation is right.
    pub(crate) fn find(
        self,
        from: u64,
        to: u64,
        finder: &Finder<'_>,
        ends: impl Fn(u8) -> bool,
    ) -> io::Result<Option<u64>> {
        let len = finder.needle().len();
        let mut buffer = Vec::new();
        let (mut at, mut size) = (from, LOOK);
        while at < to {
            // What a block cuts is seen whole in the next one.
            let block = self.read(at, size.max(2 * len as u64), &mut buffer)?;
            let mut seen = 0;
            while let Some(i) = finder.find(&block[seen..]) {
                let found = seen + i;
                if at + found as u64 >= to {
                    return Ok(None);
                }
                if block.get(found + len).is_some_and(|b| ends(*b)) {
                    return Ok(Some(at + found as u64));
                }
                seen = found + 1;
            }
            if block.len() <= len {
                break;
            }
            at += (block.len() - len) as u64;
            size = (2 * size).min(BLOCK as u64);
        }
        Ok(None)
    }

    /// Lines that end before a place, and where the next one begins.
    pub(crate) fn line(self, place: u64) -> io::Result<(u64, u64)> {
        let (mut lines, mut start, mut at) = (0, 0, 0);
        let mut buffer = Vec::new();
        while at < place {
            let block = self.read(at, place - at, &mut buffer)?;
            if block.is_empty() {
                break;
            }
            if let Some(last) = memchr::memrchr(b'\n', block) {
                lines += memchr::memchr_iter(b'\n', block).count() as u64;
                start = at + last as u64 + 1;
            }
            at += block.len() as u64;
        }
        Ok((lines, start))
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

/// Whether files can be read at any place.
pub(crate) const READS_FILES: bool = cfg!(any(unix, windows));

#[cfg(not(any(unix, windows)))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}
