//! The connection to the broker, and what must be there before anything else: a stream of parts, its consumer, and two
//! buckets.
//!
//! | name | what | key or subject | value |
//! | --- | --- | --- | --- |
//! | stream `SHARDS` | parts to do, each until it is acknowledged | `shards.<work>.<part>` | nothing; for the last part the sum |
//! | bucket `JOBS` | jobs | `job.<id>` | its work, its deadline, its end |
//! | | work | `work.<id>` | the order, in how many parts, its end |
//! | | who shares it | `order.<hash>` | the work, its jobs |
//! | bucket `RESULTS` | what a part counted | `<work>.<part>` | a number |
//! | | that a part has begun | `<work>.begun` | nothing |
//! | | the answer | `<work>.answer.<n>` | a piece of its text |

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context, kv};
use async_nats::{Client, ConnectOptions, Event};
use tokio::time::sleep;

/// The stream of parts.
pub const SHARDS: &str = "SHARDS";

/// The durable consumer that all workers share.
pub const WORKERS: &str = "workers";

/// The bucket of jobs and work.
pub const JOBS: &str = "JOBS";

/// The bucket of what parts counted, and of answers.
pub const RESULTS: &str = "RESULTS";

/// How often a part is delivered before it is given up.
pub const MAX_DELIVER: i64 = 5;

/// How long the broker remembers what it was sent, so as not to take it twice.
const DUPLICATES: Duration = Duration::from_secs(600);

/// How many parts may be under way at once, on all machines together.
const MAX_UNDER_WAY: i64 = 20_000;

/// The longest pause between two attempts to reach the broker.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// How the broker is reached and set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// One or more `nats://host:port`, separated by commas; a user and a password or a token may stand before the host.
    pub url: String,
    /// On how many of the broker's servers everything is kept.
    pub replicas: usize,
    /// How long a worker may keep silent about a part before another one gets it.
    pub ack_wait: Duration,
    /// How long jobs and results are kept at most.
    pub max_age: Duration,
}

/// The way to the broker.
#[derive(Debug)]
pub struct Link {
    settings: Settings,
    client: Client,
    broker: Mutex<Option<Arc<Broker>>>,
}

/// A broker with all that is needed.
#[derive(Debug)]
pub struct Broker {
    /// For publishing.
    pub context: Context,
    /// The connection itself.
    pub client: Client,
    /// The stream of parts.
    pub shards: Stream,
    /// Where workers take parts.
    pub parts: PullConsumer,
    /// The bucket of jobs and work.
    pub jobs: kv::Store,
    /// The bucket of results.
    pub results: kv::Store,
}

impl Link {
    /// Begins to connect, and goes on trying for ever.
    ///
    /// # Errors
    /// When the address is none.
    pub async fn open(settings: Settings) -> Result<Self, String> {
        let options = ConnectOptions::new()
            .name("chessboard-solver")
            .retry_on_initial_connect()
            .max_reconnects(None)
            .reconnect_delay_callback(|attempts| pause(u32::try_from(attempts).unwrap_or(u32::MAX)))
            .event_callback(|event| async move {
                match event {
                    Event::Connected => tracing::info!("connected to the broker"),
                    Event::Disconnected => tracing::warn!("lost the connection to the broker"),
                    other => tracing::warn!("the broker: {other}"),
                }
            });
        let servers: Vec<&str> = settings.url.split(',').map(str::trim).collect();
        let client = options
            .connect(servers)
            .await
            .map_err(|error| format!("cannot use the broker's address: {error}"))?;
        Ok(Self { settings, client, broker: Mutex::new(None) })
    }

    /// How long a worker may keep silent about a part.
    pub const fn ack_wait(&self) -> Duration {
        self.settings.ack_wait
    }

    /// The broker, if it is there at the moment.
    pub fn present(&self) -> Option<Arc<Broker>> {
        let broker = self.broker.lock().unwrap_or_else(PoisonError::into_inner).clone();
        broker.filter(|_| self.client.connection_state() == State::Connected)
    }

    /// Waits for the broker, and sets up what isn't there.
    pub async fn broker(&self) -> Arc<Broker> {
        let mut attempts = 0;
        loop {
            if let Some(broker) = self.present() {
                return broker;
            }
            if self.client.connection_state() == State::Connected {
                match self.set_up().await {
                    Ok(broker) => {
                        let broker = Arc::new(broker);
                        let mut place = self.broker.lock().unwrap_or_else(PoisonError::into_inner);
                        *place = Some(Arc::clone(&broker));
                        return broker;
                    }
                    Err(error) => tracing::warn!(error, "the broker is there, but can't be used"),
                }
            }
            attempts += 1;
            sleep(pause(attempts)).await;
        }
    }

    /// Says that something failed which should not: then everything is set up again before it is used next.
    pub fn doubt(&self, broker: &Arc<Broker>) {
        let mut place = self.broker.lock().unwrap_or_else(PoisonError::into_inner);
        if place.as_ref().is_some_and(|current| Arc::ptr_eq(current, broker)) {
            *place = None;
        }
    }

    /// Sends what is still on its way.
    pub async fn close(&self) {
        let _ = tokio::time::timeout(Duration::from_secs(2), self.client.flush()).await;
    }

    async fn set_up(&self) -> Result<Broker, String> {
        let context = jetstream::new(self.client.clone());
        let Settings { replicas, ack_wait, max_age, .. } = self.settings;
        let shards = context.get_or_create_stream(Config {
            name: SHARDS.to_owned(),
            description: Some("parts of chessboard-solver's jobs".to_owned()),
            subjects: vec!["shards.>".to_owned()],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            // A part that is there already isn't taken twice, however long ago it came.
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            max_messages_per_subject: 1,
            duplicate_window: DUPLICATES,
            max_age,
            num_replicas: replicas,
            ..Config::default()
        });
        let shards = shards.await.map_err(|error| format!("stream {SHARDS}: {error}"))?;
        let parts = shards.get_or_create_consumer(
            WORKERS,
            pull::Config {
                durable_name: Some(WORKERS.to_owned()),
                ack_policy: AckPolicy::Explicit,
                ack_wait,
                max_deliver: MAX_DELIVER,
                max_ack_pending: MAX_UNDER_WAY,
                ..pull::Config::default()
            },
        );
        let parts = parts.await.map_err(|error| format!("consumer {WORKERS}: {error}"))?;
        let bucket = async |name: &str, description: &str| {
            // Not by the client's own call for it, which asks for what a server of 2022 doesn't know.
            let config = Config {
                name: format!("KV_{name}"),
                description: Some(description.to_owned()),
                subjects: vec![format!("$KV.{name}.>")],
                storage: StorageType::File,
                max_messages_per_subject: 1,
                discard: DiscardPolicy::New,
                allow_rollup: true,
                deny_delete: true,
                allow_direct: true,
                max_age,
                num_replicas: replicas,
                duplicate_window: Duration::from_secs(120).min(max_age),
                ..Config::default()
            };
            let made = context.get_or_create_stream(config).await;
            made.map_err(|error| format!("bucket {name}: {error}"))?;
            let bucket = context.get_key_value(name).await;
            bucket.map_err(|error| format!("bucket {name}: {error}"))
        };
        let jobs = bucket(JOBS, "jobs of chessboard-solver, and their work").await?;
        let results = bucket(RESULTS, "what parts of chessboard-solver's jobs counted, and answers").await?;
        Ok(Broker { context, client: self.client.clone(), shards, parts, jobs, results })
    }
}

/// The pause before the next attempt: longer each time.
fn pause(attempts: u32) -> Duration {
    Duration::from_millis(50).saturating_mul(2_u32.saturating_pow(attempts.min(16))).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_ten_seconds() {
        assert_eq!(pause(1), Duration::from_millis(100));
        assert_eq!(pause(3), Duration::from_millis(400));
        assert_eq!(pause(8), LONGEST_PAUSE);
        assert_eq!(pause(u32::MAX), LONGEST_PAUSE);
    }
}
