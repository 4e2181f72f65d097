public import HoistBase

/// What one service wants of one of its pipelines: how records become requests, and what its answers
/// mean. All calls come on the scheduler's thread, so that a policy's state needs no lock.
public protocol EventPolicy: AnyObject, Sendable {
  /// The form in which a record is stored and waits, of the one in which it came in: once for each, in the order of
  /// recording. A record may so be cheap to make, and finished here. It counts against the limits as it is.
  ///
  /// One whose caller waits for its commit is asked for on the calling thread, and what this has returned once more here: then
  /// it is handed back as it is.
  func kept(_ recorded: ByteView) -> [UInt8]

  /// Asked before each batch is formed: a policy may send less after a failure.
  var batchLimits: BatchLimits { get }

  /// Whether a record may be sent now; others overtake it. After a change of mind, `reconsider` the
  /// pipeline.
  func admits(_ row: EventRow) -> Bool

  /// A batch is about to be formed because time has passed, or somebody asked for it: the moment to
  /// record or seal what has been counted.
  func willFlush(_ pipeline: EventPipeline)

  /// How many of the rows, from the first, belong into one request; at least 1.
  func batchLength(_ rows: [EventRow]) -> Int

  /// The request for a batch. A batch that is sent again is the same bytes again, unless rows were
  /// purged from it or `encodesEveryAttempt` is set.
  func encode(_ batch: EventBatch) -> EventEncoding

  /// Completes a request with what is only known at the last moment, such as a token; once per
  /// attempt. `completion` runs on the scheduler's thread, nil when the request cannot be made now.
  func prepare(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void)

  /// The same for a policy that wants to know which batch it is for.
  func prepare(_ request: HTTPRequest, of batch: EventBatch, completion: @escaping @Sendable (HTTPRequest?) -> Void)

  /// What to do with a batch that the service has answered. `batch` holds what is left of it: rows
  /// that were purged on the way are gone.
  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict

  /// Whoever took it, a batch is delivered.
  func delivered(_ batch: EventBatch)

  /// A batch is dropped: what is left of it will never be sent.
  func dropped(_ batch: EventBatch)

  /// Rows of another run, or of a process that has died, wait here from now on.
  func adopted(_ rows: [EventRow])
}

public struct BatchLimits: Sendable, Equatable {
  public var rows: Int
  /// Of payload. A single larger row is still sent.
  public var bytes: Int
  public init(rows: Int = .max, bytes: Int = .max) {
    self.rows = rows
    self.bytes = bytes
  }
}

/// Rows that travel together.
public struct EventBatch: Sendable {
  /// A UUID of the batch's own: stays on every attempt.
  public let id: String
  public internal(set) var rows: [EventRow]
  /// 1 at the first attempt.
  public internal(set) var attempt: Int
}

public enum EventEncoding: Sendable {
  case request(HTTPRequest)
  /// These rows can never be sent: dropped and counted. The rest is asked for again.
  case reject(ids: [String], reason: String)
  /// Not now, e.g. an address is not known yet: the rows wait for the next flush.
  case later
}

public enum EventVerdict: Sendable, Equatable {
  /// The service has the rows.
  case done
  /// The same batch again, after so long; nil: by the pipeline's back-off.
  case retry(afterMilliseconds: Int64?)
  /// The same batch again after a pause of the client's own, which a flush that is asked for cuts short.
  case pause(milliseconds: Int64)
  /// The rows wait again with the others, and go with the next flush, but no sooner than this. They do not count
  /// among those that make a flush due before its time.
  case rest(afterMilliseconds: Int64?)
  /// Too large: the halves, each on its own. A single row is dropped.
  case split
  case drop(reason: String)
}

extension EventPolicy {
  public func kept(_ recorded: ByteView) -> [UInt8] { Array(recorded) }

  /// The same of a record in two parts.
  func kept(_ head: ByteView, _ tail: ByteView) -> [UInt8] {
    if tail.isEmpty { return kept(head) }
    return withUnsafeTemporaryAllocation(byteCount: head.count + tail.count, alignment: 8) { room in
      room.copyMemory(from: head)
      UnsafeMutableRawBufferPointer(rebasing: room[head.count...]).copyMemory(from: tail)
      return kept(ByteView(room))
    }
  }

  public var batchLimits: BatchLimits { BatchLimits() }
  public func admits(_ row: EventRow) -> Bool { true }
  public func willFlush(_ pipeline: EventPipeline) {}
  public func batchLength(_ rows: [EventRow]) -> Int { rows.count }
  public func prepare(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    completion(request)
  }
  public func prepare(
    _ request: HTTPRequest, of batch: EventBatch, completion: @escaping @Sendable (HTTPRequest?) -> Void
  ) { prepare(request, completion: completion) }
  public func delivered(_ batch: EventBatch) {}
  public func dropped(_ batch: EventBatch) {}
  public func adopted(_ rows: [EventRow]) {}
}

extension EventVerdict {
  /// What most services mean: any 2xx is success; 413 asks for less; 408, 429, 5xx and a failed
  /// exchange may be tried again, no sooner than `Retry-After` says; anything else never succeeds.
  public static func standard(
    _ answer: Result<HTTPResponse, TransportFailure>, nowUnixMilliseconds: Int64,
    retryAfterCapMilliseconds: Int64 = 3_600_000
  ) -> EventVerdict {
    guard case .success(let response) = answer else { return .retry(afterMilliseconds: nil) }
    switch response.status {
    case 200...299: return .done
    case 413: return .split
    case 408, 429, 500...599:
      let wait = response.headers.value(of: "Retry-After").flatMap {
        RetryAfter.milliseconds(
          $0, nowUnixMilliseconds: nowUnixMilliseconds, capMilliseconds: retryAfterCapMilliseconds)
      }
      return .retry(afterMilliseconds: wait)
    default: return .drop(reason: "the service answered \(response.status)")
    }
  }
}
