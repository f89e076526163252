//! Ctrl-C: the first one is told to whoever listens, so that a run can leave what it has found.

use std::sync::mpsc::Sender;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The exit code of a run that was interrupted, as shells have it: 128 and the number of the signal.
pub const EXIT_CODE: i32 = 130;

/// The listener, which is taken out by the first signal.
type Listener = Mutex<Option<Box<dyn FnOnce() + Send>>>;

static LISTENER: OnceLock<Listener> = OnceLock::new();

/// Sends `message` when Ctrl-C is pressed, instead of ending the program; a second one ends it. The
/// listener of an earlier call hears nothing any more.
pub fn listen<T: Send + 'static>(message: T, to: Sender<T>) {
    let tell = Box::new(move || {
        // Nobody waits any more: the run is over.
        let _ = to.send(message);
    });
    let mut first = false;
    let listener = LISTENER.get_or_init(|| {
        first = true;
        Mutex::default()
    });
    *listener.lock().unwrap_or_else(PoisonError::into_inner) = Some(tell);
    if first {
        // Where no handler can be had, Ctrl-C ends the program as ever.
        let _ = ctrlc::set_handler(move || {
            match listener.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(tell) => tell(),
                None => std::process::exit(EXIT_CODE),
            }
        });
    }
}
