extension EventPipeline {
  public struct Options: Sendable {
    /// What the store knows its rows by, e.g. "metrics".
    public var name: String

    /// Records that may be in the pipeline, those on their way included. When a limit is reached, `overflow` decides
    /// which records are dropped; they are counted, and the host is notified once per episode.
    public var maximumRows = 10_000
    public var maximumBytes = 16 << 20
    /// A larger payload is refused.
    public var maximumRowBytes = 1 << 20
    public var overflow = Overflow.refuseNewest

    public var durability = Durability.periodic
    /// How long a record may wait to be stored, with `.periodic`.
    public var storeDelayMilliseconds: Int64 = 100
    /// How long `record` waits for the commit, and before it for others that write to the journal, with `.immediate`.
    public var commitLimitMilliseconds: Int64 = 2_000

    /// Between flushes; 0 sends at once.
    public var flushIntervalMilliseconds: Int64 = 30_000
    public var flushTiming = FlushTiming.sinceFirstRow
    /// With this many waiting rows they are sent before the interval ends; nil: never before.
    public var flushAtRows: Int?
    /// Whether intervals end in a flush although nothing waits, for policies that count elsewhere.
    public var flushesWhenEmpty = false
    /// Whether what an earlier process has left goes out as soon as it is taken over.
    public var flushesAdopted = false

    /// Batches on their way at once.
    public var maximumInFlight = 1
    /// Older records are dropped and counted; nil keeps them.
    public var maximumAgeMilliseconds: Int64?

    /// Pauses after failures.
    public var pace: any FetchPace = RegularPace(interval: 0, limit: 300_000, base: 1_000, jitter: 1)
    /// Attempts of one batch, after which it is dropped; nil without end.
    public var maximumAttempts: Int?
    /// Whether the service knows a batch by its id: the same rows then go under the same id also when the process dies on
    /// the way, by whichever process takes them over.
    public var keepsBatches = false

    /// Records that may wait for consent (`EventPolicy.awaitsConsent`), beside `maximumRows`; they stay in this room until
    /// they are sent.
    public var consentRows = 1_000
    /// Older ones of those are dropped and counted; nil keeps them.
    public var consentAgeMilliseconds: Int64?
    /// For records whose form depends on when they are sent.
    public var encodesEveryAttempt = false
    /// Beyond the request's own time limit, how long to wait for a sink's answer.
    public var answerGraceMilliseconds: Int64 = 10_000

    /// How often rows of processes that have died are looked for.
    public var adoptionIntervalMilliseconds: Int64 = 60_000

    public init(name: String) { self.name = name }
  }

  public enum Overflow: Sendable {
    case refuseNewest, dropOldest
  }

  /// What the death of the process may cost.
  public enum Durability: Sendable {
    /// Everything that was not delivered.
    case memory
    /// What was recorded in the last `storeDelayMilliseconds`.
    case periodic
    /// Nothing that `record` has returned `.stored` for.
    case immediate
  }

  public enum FlushTiming: Sendable {
    /// One interval after the first row came into an empty queue.
    case sinceFirstRow
    /// At whole intervals since the pipeline was started or its last hold was lifted.
    case sinceStart
  }

  /// Why nothing may be sent for now. Any number may hold at once.
  public struct Hold: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let offline = Hold(rawValue: 1)
    public static let notReady = Hold(rawValue: 2)
    public static let stopped = Hold(rawValue: 4)
    /// The service is to be sent nothing, also of what other processes have recorded (`Forwarding`).
    public static let silenced = Hold(rawValue: 8)
  }

  /// What the caller of `record` may wait for, with `.immediate`. On a thread of the library's own it waits for nothing.
  public enum Wait: Sendable {
    /// Nothing, as in an evaluation (G1).
    case never
    /// One write to a journal, where there is one.
    case forJournal
    /// That, or else the commit, within the limit of the options.
    case forCommit
    /// The commit in the store itself, which comes after the purges that were asked for before. In nanoseconds of the
    /// machine's clock.
    case forStore(untilNanoseconds: Int64)
  }

  public enum Outcome: Sendable {
    /// On its way, and stored.
    case stored
    /// On its way.
    case queued
    /// On its way, but in memory only, though it should have been stored: it is as soon as the store works.
    case unsaved
    /// Counted as dropped.
    case dropped

    public var status: Status {
      switch self {
      case .stored, .queued: .ok
      case .unsaved: .unsaved
      case .dropped: .limit
      }
    }
  }

  /// Since the pipeline was made, but for `waiting` and `inFlight`, which are current values.
  public struct Counters: Sendable, Equatable {
    public var recorded = 0
    /// Told as `.unsaved`.
    public var unsaved = 0
    /// For lack of room, or too large.
    public var dropped = 0
    public var delivered = 0
    /// Refused for good by the service, or beyond the attempts allowed.
    public var rejected = 0
    public var expired = 0
    public var purged = 0
    /// Attempts after the first.
    public var retried = 0
    /// Taken over from processes that died or left.
    public var adopted = 0
    /// Answers that came twice or too late.
    public var ignoredAnswers = 0
    /// Left in the store for another process to send.
    public var forwarded = 0
    public var waiting = 0
    public var inFlight = 0
    /// Age of the oldest of these.
    public var oldestMilliseconds = 0

    /// As a provider lists them among its own.
    public func listing(_ group: String) -> [(group: String, name: String, value: Int64)] {
      [
        ("recorded", recorded), ("waiting", waiting), ("in_flight", inFlight), ("delivered", delivered),
        ("dropped", dropped), ("rejected", rejected), ("expired", expired), ("purged", purged), ("retried", retried),
        ("adopted", adopted), ("unsaved", unsaved), ("forwarded", forwarded), ("oldest_ms", oldestMilliseconds),
      ].map { (group, $0.0, Int64($0.1)) }
    }
  }
}
