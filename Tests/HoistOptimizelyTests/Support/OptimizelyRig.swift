import Glibc
import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport

@testable import HoistOptimizely

/// A whole client over a scripted transport and a clock that stands still.
final class OptimizelyRig {
  static let key = "sdk-key-of-42"

  private let host: TestClient
  let face: OptimizelyFace

  /// - Parameters:
  ///   - properties: over those that make a client stand still: an SDK key, manual dispatch, no start of its own.
  ///   - cacheManager: nil keeps nothing.
  init(
    _ properties: [String: String] = [:], plugins: Plugins = Plugins(), cacheManager: (any CacheManager)? = nil,
    scheduler: ManualScheduler = ManualScheduler(), respond: (@Sendable (HTTPRequest) -> ScriptedTransport.Answer?)? = nil
  ) throws {
    host = try TestClient(
      OptimizelyFactory(),
      ["sdk_key": Self.key, "autostart": "false", "dispatch": "manual", "store": "none", "events.durability": "memory"],
      properties,
      plugins: plugins, scheduler: scheduler, transport: ScriptedTransport(scheduler: scheduler, respond: respond),
      makeCacheManager: { _ in cacheManager })
    guard let face = OptimizelyFace(host.client) else { throw Missing() }
    self.face = face
    host.open()
  }

  struct Missing: Error {}

  @discardableResult
  func settle(file: String = #fileID, line: Int = #line, until isDone: () -> Bool) -> Bool {
    scheduler.settle(file: file, line: line, until: isDone)
  }

  var scheduler: ManualScheduler { host.scheduler }
  var transport: ScriptedTransport { host.transport }
  var client: Client { host.client }
  var log: RecordingLogSink { host.log }
  var provider: OptimizelyProvider { face.provider }
  var revision: String? { face.revision.map { String(decoding: $0, as: UTF8.self) } }
  /// Requests for the datafile.
  var downloads: [HTTPRequest] { transport.requests.filter { $0.method == "GET" } }
  /// Requests that bring events.
  var posts: [HTTPRequest] { transport.requests.filter { $0.method == "POST" } }

  /// A start from the service; the failure is told to the returned result.
  func startFromService(timeoutMilliseconds: Int64 = -1) -> StartResult {
    let result = StartResult()
    result.status = face.start(timeoutMilliseconds: timeoutMilliseconds) { result.end($0) }
    scheduler.run()
    return result
  }

  func start(_ datafile: String?, _ flags: StartFlags = []) -> StartResult {
    let result = StartResult()
    result.status = face.start(datafile: datafile.map { Array($0.utf8) }, flags) { result.end($0) }
    scheduler.run()
    return result
  }

  func isOn(_ key: String, user: String = "u1") -> Bool {
    let subject = EvaluationContext(targetingKey: user)
    return key.withBytes {
      client.evaluate($0, subject.subject, .bool, .counted) { evaluation, _ in evaluation.kind == .bool && evaluation.integer != 0
      }
    }
  }

  /// The uuids of all events that were posted, in order.
  var postedIDs: [String] { posts.flatMap { PostedEvents($0).ids } }
}

/// How a start ended: nothing, success or a failure, told once.
final class StartResult: @unchecked Sendable {
  private let lock = Lock()
  private var tellings: [FetchFailure?] = []
  var status = Status.ok

  func end(_ failure: FetchFailure?) { lock.withLock { tellings.append(failure) } }
  var count: Int { lock.withLock { tellings.count } }
  var hasEnded: Bool { count > 0 }
  var failure: FetchFailure? { lock.withLock { tellings.first ?? nil } }
  var hasSucceeded: Bool { lock.withLock { tellings.count == 1 && tellings[0] == nil } }
}

/// What an observer was told.
final class HeardTexts: OptimizelyObserver, @unchecked Sendable {
  private let lock = Lock()
  private var kept: [String] = []
  func notify(_ kind: NotificationKind, _ json: CText) { lock.withLock { kept.append(String(cString: json.pointer)) } }
  var texts: [String] { lock.withLock { kept } }
}

/// A request of events, read.
struct PostedEvents {
  var visitors: [String] = []
  var ids: [String] = []
  var keys: [String] = []
  var revision = ""

  init(_ request: HTTPRequest) {
    guard let document = try? JSONDocument(parsing: request.body ?? []) else { return }
    document.withRoot { root in
      revision = root["revision"]?.string ?? ""
      for visitor in root["visitors"]?.array.map({ Array($0) }) ?? [] {
        visitors.append(visitor["visitor_id"]?.string ?? "")
        for snapshot in visitor["snapshots"]?.array.map({ Array($0) }) ?? [] {
          for event in snapshot["events"]?.array.map({ Array($0) }) ?? [] {
            ids.append(event["uuid"]?.string ?? "")
            keys.append(event["key"]?.string ?? "")
          }
        }
      }
    }
  }
}

/// Datafiles with one flag, `on`, whose experiment everybody is in.
enum SmallProject {
  static func datafile(revision: String = "1", more: String = "") -> String {
    let flag =
      #"{"id":"10","key":"on","experimentIds":["20"],"rolloutId":"","variables":[{"id":"40","key":"color","type":"string","defaultValue":"red"}]}"#
    let experiment =
      #"{"id":"20","key":"test","status":"Running","layerId":"21","audienceIds":[],"forcedVariations":{},"#
      + #""variations":[{"id":"30","key":"blue","featureEnabled":true}],"trafficAllocation":[{"entityId":"30","endOfRange":10000}]}"#
    return
      #"{"version":"4","projectId":"p","accountId":"a","revision":"\#(revision)","anonymizeIP":true,"featureFlags":[\#(flag)],"#
      + #""experiments":[\#(experiment)],"rollouts":[],"audiences":[],"groups":[],"attributes":[{"id":"501","key":"country"}],"#
      + #""events":[{"id":"601","key":"buy","experimentIds":[]}]\#(more.isEmpty ? "" : ",")\#(more)}"#
  }

  static func answer(revision: String = "1", lastModified: String? = nil, more: String = "") -> ScriptedTransport.Answer {
    .success(
      HTTPResponse(
        status: 200, headers: lastModified.map { [HTTPHeader("Last-Modified", $0)] } ?? [],
        body: Array(datafile(revision: revision, more: more).utf8)))
  }
}

extension ScriptedTransport.Answer {
  static func status(_ status: Int) -> Self { .success(HTTPResponse(status: status)) }
  static var noAnswer: Self { .failure(TransportFailure(.unreachable, "connection refused")) }
}
