//! What a job has to do, as the engine sees it.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Trouble;
use crate::engine::catch;
use crate::puzzles::{Budget, CancelFlag, Interrupted};

/// A puzzle and a request to it, in the canonical text that equal requests share. It can be written down, and read
/// again by another program of the same version.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
pub struct Order {
    /// The puzzle's name.
    pub puzzle: String,
    /// The smallest JSON object that asks for the same.
    pub request: String,
}

/// The answer to an order: the text of a JSON object.
pub type Answer = Arc<str>;

/// An order that has been understood. Parts can be done in any order and on any machine.
pub trait Task: Send + Sync {
    /// In how many parts the work is divided before [`finish`](Self::finish); 0 if it isn't. The same for equal orders.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    fn parts(&self, budget: &Budget) -> Result<usize, Interrupted>;

    /// What this part counts.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    fn count(&self, part: usize, budget: &Budget) -> Result<u64, Interrupted>;

    /// The answer, where all parts together count `total`; without it, the answer by work that was not divided.
    ///
    /// # Errors
    /// [`Stop`] when there is none.
    fn finish(&self, total: Option<u64>, budget: &Budget) -> Result<Answer, Stop>;
}

impl fmt::Debug for dyn Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Task")
    }
}

/// Why a task has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The budget ran out.
    Interrupted(Interrupted),
    /// The answer is larger than an answer may be.
    TooLarge,
    /// A bug; what it says is for the log alone.
    Bug(String),
}

impl From<Interrupted> for Stop {
    fn from(interrupted: Interrupted) -> Self {
        Self::Interrupted(interrupted)
    }
}

/// One step of the work on a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Count this part.
    Count(u64),
    /// Make the answer, of the sum if the work was divided.
    Finish(Option<u64>),
}

/// How a step ended.
#[derive(Debug)]
pub enum Done {
    /// The part counts this much.
    Counted(u64),
    /// There is an answer.
    Answer(Answer),
    /// It was cancelled.
    Interrupted,
    /// There can be no result, for a reason that is told in general and, for the log, in detail.
    Trouble(Trouble, String),
}

/// Takes a step until it is done or cancelled. A panic is a bug.
#[must_use]
pub fn attempt(task: &dyn Task, step: Step, cancel: &CancelFlag) -> Done {
    let budget = Budget::until(cancel.clone());
    let outcome = catch(|| match step {
        Step::Count(part) => {
            let part = usize::try_from(part).unwrap_or(usize::MAX);
            task.count(part, &budget).map(Done::Counted).map_err(Stop::from)
        }
        Step::Finish(total) => task.finish(total, &budget).map(Done::Answer),
    });
    match outcome {
        Ok(Ok(done)) => done,
        Ok(Err(Stop::Interrupted(_))) => Done::Interrupted,
        Ok(Err(Stop::TooLarge)) => Done::Trouble(Trouble::TooLarge, "the answer is too large".to_owned()),
        Ok(Err(Stop::Bug(what))) => Done::Trouble(Trouble::Bug, what),
        Err(panic) => Done::Trouble(Trouble::Bug, format!("a solver panicked: {panic}")),
    }
}

/// How long dividing work may take; what takes longer is left whole.
const DIVIDING: Duration = Duration::from_secs(10);

/// In how many parts to do a task; 0 if it is left whole.
#[must_use]
pub fn divide(task: &dyn Task) -> u64 {
    let budget = Budget::new(Instant::now() + DIVIDING, CancelFlag::new());
    match catch(|| task.parts(&budget)) {
        Ok(Ok(parts)) => parts as u64,
        Ok(Err(Interrupted::Deadline | Interrupted::Cancelled)) => 0,
        Err(panic) => {
            tracing::error!(panic, "a solver panicked");
            0
        }
    }
}

/// Understands orders that were written down: the task, or why there is none.
#[derive(Clone)]
pub struct Reader(Arc<Read>);

type Read = dyn Fn(&Order) -> Result<Arc<dyn Task>, String> + Send + Sync;

impl Reader {
    /// A reader by this function.
    pub fn new(read: impl Fn(&Order) -> Result<Arc<dyn Task>, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// The task of this order.
    ///
    /// # Errors
    /// What is wrong with the order, or which limit of this program it exceeds.
    pub fn read(&self, order: &Order) -> Result<Arc<dyn Task>, String> {
        (self.0)(order)
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader")
    }
}
