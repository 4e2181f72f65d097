import Glibc
import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport

@testable import HoistFlagship

/// A whole client over a scripted transport and a clock that stands still.
final class FlagshipRig: @unchecked Sendable {
  static let environment = "c1ndrd07m0300ro0jf20"

  private let host: TestClient
  let face: FlagshipFace
  /// Every status it was told, in order.
  let statuses = HeardStatuses()

  /// - Parameters:
  ///   - properties: over those that make a client of the Decision API that keeps nothing.
  ///   - cacheManager: nil keeps nothing.
  ///   - observer: hears beside `statuses`, from the beginning.
  init(
    _ properties: [String: String] = [:], plugins: Plugins = Plugins(), cacheManager: (any CacheManager)? = nil,
    scheduler: ManualScheduler = ManualScheduler(), observer: (any FlagshipObserver)? = nil,
    respond: (@Sendable (HTTPRequest) -> ScriptedTransport.Answer?)? = nil
  ) throws {
    host = try TestClient(
      FlagshipFactory(),
      [
        "env_id": Self.environment, "api_key": "the-api-key", "dispatch": "manual", "store": "none", "log.level": "debug",
        "events.durability": "memory",
      ], properties, plugins: plugins, scheduler: scheduler,
      transport: ScriptedTransport(scheduler: scheduler, respond: respond), makeCacheManager: { _ in cacheManager })
    guard let face = FlagshipFace(host.client) else { throw Missing() }
    self.face = face
    for observer in [statuses, observer] { _ = observer.map { face.observe($0) } }
    host.open()
  }

  struct Missing: Error {}

  var scheduler: ManualScheduler { host.scheduler }
  var transport: ScriptedTransport { host.transport }
  var client: Client { host.client }
  var log: RecordingLogSink { host.log }
  var provider: FlagshipProvider { face.provider }

  @discardableResult
  func settle(file: String = #fileID, line: Int = #line, until isDone: () -> Bool) -> Bool {
    host.settle(file: file, line: line, until: isDone)
  }

  func advanceAfterStore(milliseconds: Int64) { host.advanceAfterStore(milliseconds: milliseconds) }

  /// A text flag for a visitor; nil when the fallback serves.
  func string(_ key: String, visitor: String) -> String? {
    let subject = EvaluationContext(targetingKey: visitor)
    return key.withBytes {
      client.evaluate($0, subject.subject, .string, .counted) { evaluation, _ in
        evaluation.kind == .string ? String(decoding: evaluation.text, as: UTF8.self) : nil
      }
    }
  }

  /// The statuses told by now.
  var heard: [SDKStatus] {
    scheduler.run()
    _ = client.dispatch(limit: 100)
    return statuses.all
  }
}

final class HeardStatuses: FlagshipObserver {
  private let kept = LockedValue<[SDKStatus]>([])
  func sdkStatusChanged(_ status: SDKStatus) { kept.withLock { $0.append(status) } }
  var all: [SDKStatus] { kept.withLock { $0 } }
}

/// Most observers of tests ask for one thing.
extension FlagshipObserver {
  func sdkStatusChanged(_ status: SDKStatus) {}
  func bucketingChanged() {}
  var hearsOfExposures: Bool { false }
  func exposed(visitor: [UInt8], flag: [UInt8]) {}
}

extension ScriptedTransport.Answer {
  static func status(_ status: Int, _ body: String = "", lastModified: String? = nil) -> Self {
    .success(
      HTTPResponse(
        status: status, headers: lastModified.map { [HTTPHeader("Last-Modified", $0)] } ?? [], body: Array(body.utf8)))
  }
  static var noAnswer: Self { .failure(TransportFailure(.unreachable, "connection refused")) }
}

extension FlagshipRig {
  /// Closes on a thread of its own, while this one runs what is due.
  func close(timeoutMilliseconds: Int64 = 5_000) -> Status {
    let result = LockedValue<Status?>(nil)
    let client = client
    // Not a thread of the library's own, which may not close.
    let body = Unmanaged.passRetained(
      Closing {
        let status = client.close(timeoutMilliseconds: timeoutMilliseconds)
        result.withLock { $0 = status }
      })
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Closing>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, body.toOpaque())
    defer { pthread_join(thread, nil) }
    // What is due finds a client that closes.
    while !client.isClosed { sched_yield() }
    settle { result.withLock { $0 } != nil }
    return result.withLock { $0 } ?? .timeout
  }
}

private final class Closing: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

extension VisitorQueue {
  /// What a refusal does to it.
  func forget(_ identity: VisitorIdentity) {
    for id in identity.allIDs { pipeline.purge(subject: text(id)) }
  }
}
