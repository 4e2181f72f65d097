public import HoistBase
public import HoistJSON

/// What one service wants of one of its pipelines: how records become requests, and what its answers
/// mean. All calls come on the scheduler's thread, so that a policy's state needs no lock.
public protocol EventPolicy: AnyObject, Sendable {
  /// Converts a record to the form in which it is stored and waits: once for each, in the order of recording. So
  /// recording is cheap, and the record is finished here. Limits count the recorded form.
  ///
  /// For a caller that waits for the commit this runs on the calling thread; the result comes here once more and is
  /// returned as it is.
  func kept(_ recorded: ByteView) -> [UInt8]

  /// Asked before each batch is formed: a policy may send less after a failure.
  var batchLimits: BatchLimits { get }

  /// Whether a record may be sent now; others overtake it. After a change of mind, `reconsider` the
  /// pipeline.
  func admits(_ row: EventRow) -> Bool

  /// A batch is about to be formed, by time or on request: the moment to record or seal what has been counted.
  func willFlush(_ pipeline: EventPipeline)

  /// How many of the rows, from the first, belong into one request; at least 1.
  func batchLength(_ rows: [EventRow]) -> Int

  /// The request for a batch. A batch that is sent again is the same bytes again, unless rows were
  /// purged from it or `encodesEveryAttempt` is set. A failure is one of this machine's, and says nothing of the rows: they are
  /// tried again, after a pause.
  func encode(_ batch: EventBatch) throws(JSONFailure) -> EventEncoding

  /// Completes a request with what is only known at the last moment, such as a token; once per
  /// attempt. `completion` runs on the scheduler's thread, nil when the request cannot be made now.
  func prepare(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void)

  /// The same for a policy that wants to know which batch it is for.
  func prepare(_ request: HTTPRequest, of batch: EventBatch, completion: @escaping @Sendable (HTTPRequest?) -> Void)

  /// What to do with a batch that the service has answered. `batch` holds the remaining rows, without those purged
  /// meanwhile.
  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict

  /// A batch is delivered, by whichever sink.
  func delivered(_ batch: EventBatch)

  /// A batch is dropped: its remaining rows will never be sent.
  func dropped(_ batch: EventBatch)

  /// Rows of another run, or of a process that has died, wait here from now on.
  func adopted(_ rows: [EventRow])

  /// The service refused a batch as a whole: its parts go on their own.
  func divided(_ batch: EventBatch, into parts: [EventBatch])

  /// The request for a batch that another process has recorded and written out; a look, which changes nothing.
  func forwarded(_ batch: ForwardedBatch) -> ForwardedRequest

  /// `prepare` for such a request.
  func prepareForwarded(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void)

  /// The answer to one has come; what it means for the batch is the core's to say.
  func sawForwarded(_ answer: Result<HTTPResponse, TransportFailure>)

  /// Whether a row waits for a person's consent: it has a room of its own, and an age (`Options.consentRows`).
  func awaitsConsent(_ row: EventRow) -> Bool

  /// What a row is, for the line that says that it is dropped: a word or two, without personal data; empty for nothing to say.
  func describe(_ row: EventRow) -> String
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
  /// The same batch again, at the pipeline's pace and no sooner than `Retry-After` says; nothing else goes meanwhile. The
  /// message may be empty: the pipeline knows what the answer was.
  case failed(FetchFailure)
  /// The same batch again at once: it was not sent, or goes another way now.
  case again
  /// As `failed`, but the rows wait with the others, and go with the next flush after the pause. They do not count among
  /// those that make a flush due before its time.
  case rest(FetchFailure)
  /// Too large: the halves, each on its own. A single row is dropped.
  case split
  /// The service refuses these rows, or one of them: the halves, each on its own, until the bad one stands alone and is
  /// dropped.
  case refused(reason: String)
  /// The batch is dropped as a whole.
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
  public func divided(_ batch: EventBatch, into parts: [EventBatch]) {}
  public func forwarded(_ batch: ForwardedBatch) -> ForwardedRequest { .unsupported }
  public func prepareForwarded(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    prepare(request, completion: completion)
  }
  public func sawForwarded(_ answer: Result<HTTPResponse, TransportFailure>) {}
  public func awaitsConsent(_ row: EventRow) -> Bool { false }
  public func describe(_ row: EventRow) -> String { "" }
}

extension EventVerdict {
  /// The one table of what answers mean: any 2xx is success; 413 asks for less; 401 and 403 refuse the key, for now; 408,
  /// 425, 429 and no answer, and what is no answer to such a request, may pass; any other 4xx refuses what was sent.
  public static func standard(_ answer: Result<HTTPResponse, TransportFailure>) -> EventVerdict {
    switch answer {
    case .failure(let failure): .failed(FetchFailure(.network, failure.message))
    case .success(let response): standard(response.status)
    }
  }

  private static func standard(_ status: Int) -> EventVerdict {
    let message = "the service answered \(status)"
    return switch status {
    case 200...299: .done
    case 401, 403: .failed(FetchFailure(.network, message, next: .slow))
    case 413: .split
    case 408, 425, 429: .failed(FetchFailure(.network, message))
    case 400...499: .refused(reason: message)
    default: .failed(FetchFailure(.network, message))
    }
  }

  /// Whether a service that gives such an answer does its work.
  var showsThatItWorks: Bool {
    switch self {
    case .done, .split, .refused, .drop: true
    case .failed, .rest, .again: false
    }
  }

  /// The same, but what failed waits with the others, and goes with them.
  public var resting: EventVerdict { if case .failed(let failure) = self { .rest(failure) } else { self } }
}

/// What became of a flush: of several, the gravest counts.
public enum FlushResult: Int, Sendable, Comparable {
  /// Everything that was recorded before it was accepted.
  case accepted
  /// Something is left that cannot go now, however often it is tried: the client is offline, or stopped.
  case held
  /// Something is left: for another attempt.
  case left
  /// The service has refused something for good since the last flush.
  case refused

  public static func < (left: FlushResult, right: FlushResult) -> Bool { left.rawValue < right.rawValue }

  public var status: Status {
    switch self {
    case .accepted: .ok
    case .held, .left: .network
    case .refused: .rejected
    }
  }
}
