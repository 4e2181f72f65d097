public import HoistCore
internal import HoistBase
internal import HoistJSON

/// Visitor data, remote data, warehouse audiences (2.7 to 2.9; KAM-45 to KAM-55). On the scheduler's thread.
final class RemoteDataService: ClientPart, @unchecked Sendable {
  typealias Completion = @Sendable (RemoteAnswer) -> Void

  /// Of visits; remote data have the client's own limit.
  private static let maximumVisitorDataBytes = 8 << 20
  /// Longer limits are cut.
  private static let longestMilliseconds: Int64 = 86_400_000
  /// Calls that may be under way; further ones fail at once.
  private static let maximumUnderWay = 1_000

  private let host: any ProviderHost
  private let settings: KameleoonSettings
  private let addresses: ServiceAddresses
  private let access: RemoteAccess
  private var calls: [UInt64: RemoteCall] = [:]
  private var lastNumber: UInt64 = 0
  private var isStopped = false

  init(
    host: any ProviderHost, settings: KameleoonSettings, addresses: ServiceAddresses, tokens: AccessTokens,
    reports: ServiceReports
  ) {
    self.host = host
    self.settings = settings
    self.addresses = addresses
    access = RemoteAccess(host: host, tokens: tokens, requests: OutgoingRequests(host: host), reports: reports)
  }

  /// - Parameters:
  ///   - timeoutMilliseconds: of the whole call; negative for the client's own (KAM-04).
  ///   - completion: runs once.
  @inline(never)
  func answer(
    _ question: RemoteQuestion, of visitor: KameleoonVisitor, timeoutMilliseconds: Int64, completion: @escaping Completion
  ) {
    host.scheduler.assertCurrent()
    let timeout = timeoutMilliseconds >= 0 ? min(timeoutMilliseconds, Self.longestMilliseconds) : settings.timeoutMilliseconds
    switch question {
    case .visitorData(let filter, let adds):
      get(.remoteVisitorData, visitorData(of: visitor, filter), "visitor data", Self.maximumVisitorDataBytes, timeout) {
        [self] body throws(RemoteFailure) in
        let remote = try read(body, filter)
        visitor.merge(remote, isAdded: adds)
        return RemoteAnswer(data: remote.data)
      } completion: {
        completion($0)
      }
    case .data(let key):
      get(.remoteData, remoteData(key, visitor), "remote data", .max, timeout) { body throws(RemoteFailure) in
        RemoteAnswer(body: body?.isEmpty == true ? nil : body)
      } completion: {
        completion($0)
      }
    case .warehouseAudience(let key, let index):
      get(.remoteData, remoteData(key, visitor), "warehouse audiences", Self.maximumVisitorDataBytes, timeout) {
        body throws(RemoteFailure) in
        let datum = VisitorDatum.customData(CustomData(index: index, values: try WarehouseAudience.names(body)))
        _ = visitor.add([datum])
        return RemoteAnswer(data: [datum])
      } completion: {
        completion($0)
      }
    }
  }

  private func visitorData(of visitor: KameleoonVisitor, _ filter: RemoteVisitorDataFilter) -> String {
    let asked = settings.isStrictVendor ? filter : filter.clamped
    if asked != filter {
      host.log.warning("visitor data: previousVisitAmount \(filter.previousVisitAmount) becomes \(asked.previousVisitAmount)")
    }
    return addresses.visitorData + asked.query(visitorCode: visitor.code, isUnique: visitor.isUnique)
  }

  private func remoteData(_ key: [UInt8]?, _ visitor: KameleoonVisitor) -> String {
    addresses.remoteData(key: key.flatMap { $0.isEmpty ? nil : $0 } ?? visitor.code)
  }

  private func read(_ body: [UInt8]?, _ filter: RemoteVisitorDataFilter) throws(RemoteFailure) -> RemoteVisitorData {
    guard let body else { throw RemoteFailure(status: .network, message: "the service answered without content") }
    guard let (remote, leftOut) = RemoteVisitorDataReader.read(body, filter.parts, isStrictVendor: settings.isStrictVendor)
    else { throw RemoteFailure(status: .parse, message: "the answer cannot be read") }
    if leftOut > 0 { host.log.warning("visitor data: \(leftOut) elements are left out: there are too many of a kind") }
    return remote
  }

  /// - Parameters:
  ///   - what: is asked, for the log.
  ///   - read: the body of an answer; nil when there is none.
  private func get(
    _ kind: RequestKind, _ url: String, _ what: StaticString, _ maximumBytes: Int, _ timeoutMilliseconds: Int64,
    _ read: @escaping @Sendable ([UInt8]?) throws(RemoteFailure) -> RemoteAnswer, completion: @escaping Completion
  ) {
    let end: RemoteCall.Completion = { [host, settings] outcome in
      do throws(RemoteFailure) {
        completion(try read(try outcome.get()))
      } catch {
        host.log.warning("\(what): \(error.message)")
        // The vendor's SDKs hand out nothing instead (A5).
        completion(RemoteAnswer(settings.isStrictVendor ? .ok : error.status))
      }
    }
    if isStopped { return end(.failure(.closed)) }
    guard host.isOnline else { return end(.failure(.offline)) }
    guard calls.count < Self.maximumUnderWay else {
      return end(.failure(RemoteFailure(status: .limit, message: "too many calls are under way")))
    }
    var request = HTTPRequest(method: "GET", url: url)
    settings.limit(&request, toMilliseconds: timeoutMilliseconds)
    request.maximumResponseBytes = min(request.maximumResponseBytes, maximumBytes)
    lastNumber &+= 1
    let number = lastNumber
    let call = RemoteCall(kind, request, access) { [weak self] outcome in
      self?.calls[number] = nil
      end(outcome)
    }
    calls[number] = call
    call.begin()
  }
}

/// The client's life.
extension RemoteDataService {
  func start() { isStopped = false }

  /// Completes all waiting calls.
  func stop() {
    host.scheduler.assertCurrent()
    isStopped = true
    endAll(.closed)
  }

  func setOnline(_ isOnline: Bool) { if !isOnline { endAll(.offline) } }

  private func endAll(_ failure: RemoteFailure) {
    for (_, call) in calls.sorted(by: { $0.key < $1.key }) { call.end(failure) }
    access.requests.cancelAll()
  }

  func abandonAfterFork() {
    calls = [:]
    access.requests.abandonAfterFork()
  }
}

/// Audiences of a data warehouse (2.9).
enum WarehouseAudience {
  /// The names in their order; none where the document has no audiences.
  /// - Parameter body: nil for none.
  static func names(_ body: [UInt8]?) throws(RemoteFailure) -> [[UInt8]] {
    let names = try? body?.withUnsafeBytes { text throws(JSONFailure) in
      try JSONNode.parse(text) { root -> [[UInt8]]? in
        root.isNull ? nil : root["warehouseAudiences"]?.members.map { Array($0.name) } ?? []
      }
    }
    guard let names = names ?? nil else {
      throw RemoteFailure(status: body == nil ? .notFound : .parse, message: "the answer has no audiences")
    }
    return names
  }
}

/// What the Data API can be asked for a visitor (protocols/kameleoon.md 2.7 to 2.9).
public enum RemoteQuestion: Sendable {
  /// `getRemoteVisitorData` (KAM-46). `adds`: whether the visitor gets what comes (KAM-48).
  case visitorData(RemoteVisitorDataFilter, adds: Bool)
  /// `getRemoteData` (KAM-45). nil or empty for the visitor's code.
  case data(key: [UInt8]?)
  /// `getVisitorWarehouseAudience` (KAM-55): nil or empty for the visitor's code; `index` of the custom data that the
  /// audiences become.
  case warehouseAudience(key: [UInt8]?, index: Int64)
}

/// What came of a question.
public struct RemoteAnswer: Sendable {
  /// `.network`, `.timeout`, `.notFound`, `.parse`, `.limit`, `.cancelled` when there are no data.
  public var status: Status
  /// Visitor data, or the one custom data of a warehouse audience; empty otherwise.
  public var data: [VisitorDatum] = []
  /// Remote data as the service keeps them; nil for none.
  public var body: [UInt8]?

  init(_ status: Status) { self.status = status }
  init(data: [VisitorDatum]) { (status, self.data) = (.ok, data) }
  init(body: [UInt8]?) { (status, self.body) = (.ok, body) }
}
