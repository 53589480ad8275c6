//! Long work: jobs that go on after the request that asked for them.
//!
//! A *job* is one request's claim to an answer; it has a random id, and knowing that is the only way to it. Under the
//! jobs is the *work*: equal requests that are alive at the same time share one, which stops when the last of them has
//! been cancelled. Work is done in *parts*. Counts of queens have up to some thousand, each of which gives an exact
//! number, and a last part makes the answer of their sum; all other work is that last part alone. Parts can be done in
//! any order, by anybody, and done twice: only the first result counts.
//!
//! | status | what it means | what comes next |
//! | --- | --- | --- |
//! | `queued` | no part of its work has begun | `running`, or an end |
//! | `running` | parts are being done | an end |
//! | `succeeded` | there is an answer, "impossible" included | stays, until its time is over |
//! | `failed` | there is none, and a problem says why | stays, until its time is over |
//! | `cancelled` | nobody wants it any more | stays, until its time is over |
//!
//! There are two places where work is done: [`local`], on this machine, with a [`book`] on disk or without one; and
//! [`nats`], where machines share it through a broker. [`Jobs`] is either.

pub mod book;
pub mod clock;
pub mod local;
pub mod nats;
pub mod task;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use uuid::Uuid;

pub use self::task::{Answer, Order, Reader, Stop, Task};
use book::Book;
use local::Local;
use nats::Nats;
use nats::link::Settings;

/// The largest answer that a job may have, in bytes: 16 MiB.
pub const MAX_ANSWER: usize = 16 * 1024 * 1024;

/// How much there may be of everything, and for how long.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most jobs that are queued or running.
    pub queue: usize,
    /// The most jobs that are kept after their end; older ones go first.
    pub kept: usize,
    /// The most bytes of answers that are kept.
    pub kept_bytes: usize,
    /// How long a job is kept after its end.
    pub time_to_live: Duration,
    /// The longest that a job may take.
    pub longest: Duration,
    /// The threads that do parts.
    pub threads: usize,
}

/// Where a job stands.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// No part of its work has begun.
    Queued,
    /// Its work is being done.
    Running,
    /// It has an answer.
    Succeeded,
    /// It has none, for a reason that is told.
    Failed,
    /// Nobody wants it any more.
    Cancelled,
}

impl Status {
    /// All of them; the number of each is its place.
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Succeeded, Self::Failed, Self::Cancelled];

    /// The word that stands for it in an answer.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it stays as it is.
    #[must_use]
    pub const fn is_end(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }
}

/// Why a job has no answer.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// It took longer than it may, in milliseconds.
    TimedOut(u64),
    /// The answer is larger than [`MAX_ANSWER`].
    TooLarge,
    /// A bug, whose detail is in the log.
    Bug,
}

/// How far a job is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// Parts that are done.
    pub done: u64,
    /// Parts in all, at least one.
    pub total: u64,
    /// The time until the end, in seconds, judged by the parts so far; told from two parts in a hundred on.
    pub seconds_left: Option<u64>,
}

/// A job at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Which job.
    pub id: Uuid,
    /// What was asked.
    pub order: Arc<Order>,
    /// Where it stands.
    pub status: Status,
    /// How far it is.
    pub progress: Progress,
    /// The answer, a JSON object, of a job that succeeded.
    pub answer: Option<Answer>,
    /// What is wrong with a job that failed.
    pub trouble: Option<Trouble>,
}

/// What there is to say about an id.
#[derive(Clone, Debug)]
pub enum Found {
    /// The job.
    Job(Snapshot),
    /// There was such a job, and its time to live is over.
    Gone,
    /// No such job is known.
    Unknown,
}

/// Why a job can't be taken or told about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// There are as many jobs as there may be.
    Full,
    /// The store or the broker can't be reached; the detail is in the log.
    Away,
    /// What is asked is larger than a job may be.
    TooLarge,
}

impl Refused {
    /// The word that stands for it where refusals are counted.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Away => "away",
            Self::TooLarge => "too-large",
        }
    }
}

/// How many jobs there are, and what has become of others since the start of this process.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Census {
    /// Whether jobs can be had at the moment.
    pub is_there: bool,
    /// Those that go on or are kept, by status.
    pub jobs: [u64; Status::ALL.len()],
    /// Those that were seen to end, by status.
    pub ended: [u64; Status::ALL.len()],
    /// Parts that are still to do, of the work that goes on.
    pub parts_left: u64,
    /// Parts that were seen being done.
    pub parts_done: u64,
}

/// The jobs of this server. Clones share them.
#[derive(Clone, Debug)]
pub enum Jobs {
    /// Done by this process.
    Local(Arc<Local>),
    /// Shared with others.
    Nats(Arc<Nats>),
}

/// Where jobs are kept.
#[derive(Clone, Debug)]
pub enum Place {
    /// In the memory of this process, which takes them along when it ends.
    Memory,
    /// In a directory.
    Directory(PathBuf),
    /// With a broker.
    Broker(Settings),
}

impl Jobs {
    /// Goes on with the jobs in this place.
    ///
    /// # Errors
    /// A sentence for the operator when they can't be had.
    pub async fn start(limits: Limits, place: Place, reader: &Reader) -> Result<Self, String> {
        let book = match place {
            Place::Memory | Place::Directory(_) if limits.threads == 0 => {
                return Err(
                    "JOB_WORKERS=0 leaves jobs to workers, which need a broker: set NATS_URL".to_owned()
                );
            }
            Place::Memory => Ok(Book::closed()),
            Place::Directory(directory) => Book::open(&directory),
            Place::Broker(settings) => {
                return Nats::start(settings, limits, reader).await.map(Self::Nats);
            }
        };
        let local = book.and_then(|book| Local::start(limits, book, reader));
        local.map(Self::Local).map_err(|error| format!("cannot keep jobs: {error}"))
    }

    /// Takes an order. `timeout` is the longest that it may take, beside the server's own limit; `trace_id` names the
    /// trace that it belongs to, for the log.
    ///
    /// # Errors
    /// [`Refused`] when it can't be taken.
    pub async fn submit(
        &self,
        order: Order,
        task: Arc<dyn Task>,
        timeout: Option<Duration>,
        trace_id: Option<String>,
    ) -> Result<Uuid, Refused> {
        match self {
            Self::Local(local) => local.submit(order, task, timeout, trace_id).await,
            Self::Nats(nats) => nats.submit(order, task, timeout, trace_id).await,
        }
    }

    /// The job with this id, as it is now.
    ///
    /// # Errors
    /// [`Refused`] when nobody can be asked.
    pub async fn find(&self, id: Uuid) -> Result<Found, Refused> {
        match self {
            Self::Local(local) => Ok(local.find(id)),
            Self::Nats(nats) => nats.find(id).await,
        }
    }

    /// Tells of every change of the job with this id from now on, until it has ended; `None` if there is no such job.
    /// It may tell of changes that make no difference.
    ///
    /// # Errors
    /// [`Refused`] when nobody can be asked.
    pub async fn watch(&self, id: Uuid) -> Result<Option<watch::Receiver<()>>, Refused> {
        match self {
            Self::Local(local) => Ok(local.watch(id)),
            Self::Nats(nats) => nats.watch(id).await,
        }
    }

    /// Cancels the job with this id, if it has not ended, and stops its work unless another job shares it. Returns
    /// what the job was before.
    ///
    /// # Errors
    /// [`Refused`] when nobody can be told.
    pub async fn cancel(&self, id: Uuid) -> Result<Found, Refused> {
        match self {
            Self::Local(local) => local.cancel(id).await,
            Self::Nats(nats) => nats.cancel(id).await,
        }
    }

    /// Whether jobs can be had at the moment.
    #[must_use]
    pub fn are_there(&self) -> bool {
        match self {
            Self::Local(_) => true,
            Self::Nats(nats) => nats.is_there(),
        }
    }

    /// How many jobs there are.
    #[must_use]
    pub fn census(&self) -> Census {
        match self {
            Self::Local(local) => local.census(),
            Self::Nats(nats) => nats.census(),
        }
    }

    /// Stops taking and doing work, and gives back what is half done.
    pub async fn stop(&self) {
        match self {
            Self::Local(local) => local.stop(),
            Self::Nats(nats) => nats.stop().await,
        }
    }
}
