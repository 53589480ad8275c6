//! Jobs that many machines share through a NATS broker with JetStream.
//!
//! Everything that must survive is kept by the broker; see [`link`] for its shape. Any server takes jobs and answers for
//! all of them, and [looks after](foreman) the work; any server and any number of [workers](worker) do its parts. None
//! of them has to stay: what one leaves half done, another does again, and a result is only ever added once.
//!
//! What is done when the broker is away: requests for jobs are refused, results wait to be written, and the connection
//! is tried again, with longer and longer pauses.

pub mod foreman;
pub mod link;
pub mod records;
pub mod worker;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use self::foreman::{Foreman, leave};
use self::link::{Broker, Link, Settings};
use self::records::{
    Claim, Failed, MAX_VALUE, WorkEntry, job_key, order_key, read, read_answer, work_key, write,
};
use self::worker::Workers;
use super::book::{End, JobRecord, WorkRecord};
use super::clock::{millis, now};
use super::task::divide;
use super::{Census, Found, Limits, Order, Progress, Reader, Refused, Snapshot, Status, Task};

/// The longest that a request waits for the broker.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often somebody who waits for a job looks at it, when nobody tells of a change.
const LOOK: Duration = Duration::from_millis(250);

/// The jobs of all servers that share a broker.
#[derive(Debug)]
pub struct Nats {
    link: Arc<Link>,
    limits: Limits,
    foreman: Arc<Foreman>,
    workers: Workers,
}

impl Nats {
    /// Begins to connect. Jobs can be had as soon as the broker is there.
    ///
    /// # Errors
    /// A sentence for the operator when the address is none, or the system has no room for threads.
    pub async fn start(settings: Settings, limits: Limits, reader: &Reader) -> Result<Arc<Self>, String> {
        let link = Arc::new(Link::open(settings).await?);
        let foreman = Foreman::start(&link, limits.clone());
        let workers = Workers::start(&link, reader.clone(), limits.threads)?;
        Ok(Arc::new(Self { link, limits, foreman, workers }))
    }

    /// Whether the broker can be reached.
    pub fn is_there(&self) -> bool {
        self.link.present().is_some()
    }

    /// See [`Jobs::census`](super::Jobs::census).
    #[must_use]
    pub fn census(&self) -> Census {
        Census { is_there: self.is_there(), ..self.foreman.census() }
    }

    /// See [`Jobs::submit`](super::Jobs::submit).
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
        if order.request.len() > MAX_VALUE {
            return Err(Refused::TooLarge);
        }
        if self.foreman.is_full() {
            return Err(Refused::Full);
        }
        let longest = self.limits.longest;
        let time = timeout.map_or(longest, |asked| asked.min(longest));
        self.ask(async |broker| {
            let id = Uuid::new_v4();
            let work = self.claim(broker, &order, &task, id).await?;
            let job = JobRecord::new(work, time, trace_id);
            write(&broker.jobs, &job_key(id), &job, 0).await?;
            Ok(id)
        })
        .await
    }

    /// Joins this job to the work that does the order, or to new work.
    async fn claim(
        &self,
        broker: &Broker,
        order: &Order,
        task: &Arc<dyn Task>,
        id: Uuid,
    ) -> Result<Uuid, Failed> {
        let key = order_key(order);
        loop {
            let claim = read::<Claim>(&broker.jobs, &key).await?;
            let revision = claim.as_ref().map_or(0, |(_, revision)| *revision);
            if let Some((claim, _)) = claim.filter(|(claim, _)| !claim.jobs.is_empty()) {
                let work = read::<WorkEntry>(&broker.jobs, &work_key(claim.work)).await?;
                if work.is_some_and(|(work, _)| work.end.is_none() && work.record.order == *order) {
                    let jobs = claim.jobs.iter().copied().chain([id]).collect();
                    let joined = Claim { work: claim.work, jobs };
                    if write(&broker.jobs, &key, &joined, revision).await? {
                        return Ok(claim.work);
                    }
                    continue;
                }
            }
            // The claim comes first: work that nobody claims is never begun.
            let work = Uuid::new_v4();
            if !write(&broker.jobs, &key, &Claim { work, jobs: vec![id] }, revision).await? {
                continue;
            }
            let task = Arc::clone(task);
            let parts = tokio::task::spawn_blocking(move || divide(&*task)).await;
            let parts = parts.map_err(|error| Failed::at("dividing the work", error))?;
            let record = WorkRecord::new(order.clone(), parts);
            let entry = WorkEntry { record, end: None, error: None };
            write(&broker.jobs, &work_key(work), &entry, 0).await?;
            self.foreman.track(work, &entry);
            return Ok(work);
        }
    }

    /// See [`Jobs::find`](super::Jobs::find).
    ///
    /// # Errors
    /// [`Refused`] when the broker is away.
    pub async fn find(&self, id: Uuid) -> Result<Found, Refused> {
        self.ask(async |broker| self.look_up(broker, id).await).await
    }

    async fn look_up(&self, broker: &Broker, id: Uuid) -> Result<Found, Failed> {
        let Some((job, _)) = read::<JobRecord>(&broker.jobs, &job_key(id)).await? else {
            return Ok(Found::Unknown);
        };
        let Some((work, _)) = read::<WorkEntry>(&broker.jobs, &work_key(job.work)).await? else {
            return Ok(Found::Gone);
        };
        let total = work.record.parts + 1;
        let order = Arc::new(work.record.order);
        let end = job.end.or(work.end);
        let (status, progress, trouble, answer) = if let Some(end) = end {
            let ttl = millis(self.limits.time_to_live);
            if end.at.saturating_add(ttl) <= now() {
                return Ok(Found::Gone);
            }
            let answer = match end.status {
                Status::Succeeded => read_answer(broker, job.work).await?,
                _ => None,
            };
            let progress = Progress { done: end.done, total, seconds_left: None };
            (end.status, progress, end.trouble, answer)
        } else {
            let tracked = self.foreman.tracked(job.work);
            let (progress, has_begun) = tracked
                .map_or((Progress { done: 0, total, seconds_left: None }, false), |work| work.progress());
            let status = if has_begun { Status::Running } else { Status::Queued };
            (status, progress, None, None)
        };
        Ok(Found::Job(Snapshot { id, order, status, progress, answer, trouble }))
    }

    /// See [`Jobs::watch`](super::Jobs::watch).
    ///
    /// # Errors
    /// [`Refused`] when the broker is away.
    pub async fn watch(self: &Arc<Self>, id: Uuid) -> Result<Option<watch::Receiver<()>>, Refused> {
        let Found::Job(_) = self.find(id).await? else { return Ok(None) };
        let (sender, receiver) = watch::channel(());
        let nats = Arc::clone(self);
        tokio::spawn(async move {
            let mut ends = nats.foreman.ends();
            loop {
                tokio::select! {
                    () = sender.closed() => return,
                    _ = ends.changed() => {}
                    () = sleep(LOOK) => {}
                }
                sender.send_replace(());
                match nats.find(id).await {
                    Ok(Found::Job(job)) if !job.status.is_end() => {}
                    // It may come back, and whoever waits will see.
                    Err(Refused::Away) => sleep(LOOK).await,
                    _ => return,
                }
            }
        });
        Ok(Some(receiver))
    }

    /// See [`Jobs::cancel`](super::Jobs::cancel).
    ///
    /// # Errors
    /// [`Refused`] when the broker is away.
    pub async fn cancel(&self, id: Uuid) -> Result<Found, Refused> {
        self.ask(async |broker| {
            let found = self.look_up(broker, id).await?;
            if let Found::Job(job) = &found
                && !job.status.is_end()
            {
                let end =
                    End { status: Status::Cancelled, at: now(), trouble: None, done: job.progress.done };
                leave(broker, id, end).await?;
            }
            Ok(found)
        })
        .await
    }

    /// See [`Jobs::stop`](super::Jobs::stop).
    pub async fn stop(&self) {
        self.workers.stop().await;
    }

    /// Asks the broker for something, if it is there, and not for long.
    async fn ask<T>(&self, question: impl AsyncFnOnce(&Broker) -> Result<T, Failed>) -> Result<T, Refused> {
        let broker = self.link.present().ok_or(Refused::Away)?;
        match timeout(PATIENCE, question(&broker)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(Failed(error))) => {
                tracing::warn!(error, "the broker failed a request");
                self.link.doubt(&broker);
                Err(Refused::Away)
            }
            Err(_) => {
                tracing::warn!("the broker took too long for a request");
                Err(Refused::Away)
            }
        }
    }
}
