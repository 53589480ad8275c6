//! What is written into the buckets, and how it is changed by many at once: read, change, write if nobody else has
//! written meanwhile, else again.

use async_nats::jetstream::kv::{Operation, Store, UpdateErrorKind};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128;

use super::link::Broker;
use crate::engine::jobs::book::{End, WorkRecord};
use crate::engine::jobs::{Answer, MAX_ANSWER, Order};

/// The most bytes of one value. Brokers take a megabyte unless told otherwise.
pub const MAX_VALUE: usize = 512 * 1024;

/// Work as the broker keeps it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct WorkEntry {
    /// What is to be done.
    pub record: WorkRecord,
    /// How it ended, if it has.
    pub end: Option<End>,
    /// What exactly went wrong, and with which part.
    pub error: Option<String>,
}

/// Who shares a piece of work.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Claim {
    /// The work.
    pub work: Uuid,
    /// The jobs. Without any, the work is over.
    pub jobs: Vec<Uuid>,
}

/// A failure that has nothing to do with what was asked: the broker is away, or a record can't be read.
#[derive(Debug)]
pub struct Failed(pub String);

impl Failed {
    /// What failed, and how.
    pub fn at(what: &str, error: impl std::fmt::Display) -> Self {
        Self(format!("{what}: {error}"))
    }
}

/// The key of a job.
pub fn job_key(id: Uuid) -> String {
    format!("job.{id}")
}

/// The key of work.
pub fn work_key(id: Uuid) -> String {
    format!("work.{id}")
}

/// The key of what equal orders share.
pub fn order_key(order: &Order) -> String {
    let text = format!("{} {} {}", env!("CARGO_PKG_VERSION"), order.puzzle, order.request);
    format!("order.{:032x}", xxh3_128(text.as_bytes()))
}

/// The subject of a part; `None` is the last one.
pub fn subject(work: Uuid, part: Option<u64>) -> String {
    part.map_or_else(|| format!("shards.{work}.finish"), |part| format!("shards.{work}.{part}"))
}

/// The work and the part of a subject.
pub fn parse_subject(subject: &str) -> Option<(Uuid, Option<u64>)> {
    let (work, part) = subject.strip_prefix("shards.")?.split_once('.')?;
    let part = if part == "finish" { None } else { Some(part.parse().ok()?) };
    Some((work.parse().ok()?, part))
}

/// The value of a key with its revision, if there is one.
pub async fn read<T: DeserializeOwned>(store: &Store, key: &str) -> Result<Option<(T, u64)>, Failed> {
    let entry = store.entry(key).await.map_err(|error| Failed::at(key, error))?;
    match entry.filter(|entry| entry.operation == Operation::Put) {
        None => Ok(None),
        Some(entry) => {
            let value = serde_json::from_slice(&entry.value).map_err(|error| Failed::at(key, error))?;
            Ok(Some((value, entry.revision)))
        }
    }
}

/// Writes a value if the key has this revision, 0 for none. Returns whether it had.
pub async fn write(store: &Store, key: &str, value: &impl Serialize, revision: u64) -> Result<bool, Failed> {
    let value = serde_json::to_vec(value).map_err(|error| Failed::at(key, error))?;
    match store.update(key, Bytes::from(value), revision).await {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => Ok(false),
        Err(error) => Err(Failed::at(key, error)),
    }
}

/// Changes the value of a key, if there is one and `change` gives a new one for it. Returns what it was before.
pub async fn alter<T: Serialize + DeserializeOwned>(
    store: &Store,
    key: &str,
    mut change: impl FnMut(&T) -> Option<T>,
) -> Result<Option<T>, Failed> {
    loop {
        let Some((old, revision)) = read::<T>(store, key).await? else { return Ok(None) };
        let Some(new) = change(&old) else { return Ok(Some(old)) };
        if write(store, key, &new, revision).await? {
            return Ok(Some(old));
        }
    }
}

/// Ends work, unless it has ended, and clears away what it leaves. Returns whether this call did it.
pub async fn end_work(broker: &Broker, id: Uuid, end: End, error: Option<String>) -> Result<bool, Failed> {
    let mut did = false;
    alter(&broker.jobs, &work_key(id), |work: &WorkEntry| {
        did = work.end.is_none();
        did.then(|| WorkEntry { end: Some(end), error: error.clone(), ..work.clone() })
    })
    .await?;
    // Parts that wait are left to the workers, who throw them away: brokers of 2022 miscount after a purge. What was
    // counted goes, but not the answer, whose keys have one word more.
    let counted = broker.results.stream.purge().filter(format!("$KV.{}.{id}.*", broker.results.name)).await;
    counted.map_err(|error| Failed::at("clearing results", error))?;
    Ok(did)
}

/// Writes an answer in pieces.
pub async fn write_answer(broker: &Broker, work: Uuid, answer: &Answer) -> Result<(), Failed> {
    for (number, piece) in answer.as_bytes().chunks(MAX_VALUE).enumerate() {
        let key = format!("{work}.answer.{number}");
        let put = broker.results.put(&key, Bytes::copy_from_slice(piece)).await;
        put.map_err(|error| Failed::at(&key, error))?;
    }
    Ok(())
}

/// The answer that was written; `None` if there is none, or not all of it.
pub async fn read_answer(broker: &Broker, work: Uuid) -> Result<Option<Answer>, Failed> {
    let mut text = Vec::new();
    for number in 0..MAX_ANSWER.div_ceil(MAX_VALUE) {
        let key = format!("{work}.answer.{number}");
        let piece = broker.results.get(&key).await.map_err(|error| Failed::at(&key, error))?;
        let Some(piece) = piece else { break };
        text.extend_from_slice(&piece);
        if piece.len() < MAX_VALUE {
            break;
        }
    }
    Ok(String::from_utf8(text).ok().filter(|text| !text.is_empty()).map(Answer::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_tells_the_work_and_the_part() {
        let work = Uuid::new_v4();
        for part in [Some(0), Some(15_439), None] {
            assert_eq!(parse_subject(&subject(work, part)), Some((work, part)));
        }
        for other in ["shards", "shards.x.1", "other.1.2", &format!("shards.{work}.last")] {
            assert_eq!(parse_subject(other), None, "{other}");
        }
    }
}
