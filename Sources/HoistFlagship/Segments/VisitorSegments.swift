internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// What other services know of visitors, as pairs for their contexts: segments of third parties in bucketing mode (FS-209),
/// and the emotion score (FS-207). On the scheduler's thread, but for `isWanted`.
final class VisitorSegments: ClientPart, @unchecked Sendable {
  typealias Completion = @Sendable ([Attribute]) -> Void

  private let host: any ProviderHost
  private let settings: FlagshipSettings
  private let account: AccountSettingsHolder
  private let requests: OutgoingRequests
  /// The left-out elements that were logged already.
  private var toldPlaces: Set<String> = []
  private static let maximumToldPlaces = 20
  private static let maximumToldBytes = 128

  init(host: any ProviderHost, settings: FlagshipSettings, account: AccountSettingsHolder) {
    self.host = host
    self.settings = settings
    self.account = account
    requests = OutgoingRequests(host: host)
  }

  /// Whether a fetch has to ask first. Any thread.
  var isWanted: Bool { (wantsSegments || wantsScore) && host.isOnline }
  private var wantsSegments: Bool { settings.usesSegments && settings.mode == .bucketing }
  private var wantsScore: Bool { settings.usesEmotionScore && account.current.usesEmotionScore }

  /// `completion` runs once, unless the call is over first; what cannot be fetched is left out.
  func gather(_ visitorID: [UInt8], _ call: FetchCall?, completion: @escaping Completion) {
    host.scheduler.assertCurrent()
    guard call?.isOver != true else { return }
    let gathering = Gathering((wantsSegments ? 1 : 0) + (wantsScore ? 1 : 0), completion)
    if wantsSegments { ask(settings.addresses.segments(of: visitorID), gathering, call) { [weak self] in self?.segments($0) } }
    if wantsScore { ask(settings.addresses.emotionScore(of: visitorID), gathering, call) { Self.score($0) } }
  }

  private func ask(
    _ url: String, _ gathering: Gathering, _ call: FetchCall?, read: @escaping @Sendable (JSONNode) -> [Attribute]?
  ) {
    var request = ServiceRequest(settings).get(url)
    request.timeoutMilliseconds = settings.decisionTimeoutMilliseconds
    request.maximumResponseBytes = min(request.maximumResponseBytes, 1 << 20)
    let log = host.log
    let number = requests.send(request) { answer in
      switch answer {
      case .failure(let failure): log.warning("segments of a visitor: no answer: \(failure.message)")
      case .success(let response) where response.status == 204: break
      case .success(let response) where 200...299 ~= response.status:
        let pairs = try? response.body.withUnsafeBytes { body throws(JSONFailure) in try JSONNode.parse(body) { read($0) } }
        guard let pairs else { return gathering.take([], log, "segments of a visitor: the answer cannot be read") }
        return gathering.take(pairs)
      case .success(let response): log.warning("segments of a visitor: the service answered \(response.status)")
      }
      gathering.take([])
    }
    let (requests, scheduler) = (requests, host.scheduler)
    call?.sends { scheduler.post { requests.cancel(number) } }
  }

  /// An array of `{visitor_id, segment, value, partner}`; nil for anything else. Elements that cannot be read are left out.
  private func segments(_ root: JSONNode) -> [Attribute]? {
    root.array.map { elements in
      elements.compactMap { element in
        guard let partner = element["partner"]?.utf8, let segment = element["segment"]?.utf8, !partner.isEmpty, !segment.isEmpty
        else { return leaveOut("an element", "it names no partner or segment") }
        let name = Array(partner) + Array("::".utf8) + Array(segment)
        guard let value = element["value"]?.utf8 else {
          return leaveOut("\"\(String(decoding: name.prefix(Self.maximumToldBytes), as: UTF8.self))\"", "its value is no text")
        }
        return Attribute(name: name, value: .string(Array(value)))
      }
    }
  }

  /// Tells of each once, however many visitors have it.
  private func leaveOut(_ place: String, _ problem: StaticString) -> Attribute? {
    if toldPlaces.count < Self.maximumToldPlaces, toldPlaces.insert(place).inserted {
      host.log.warning("segments of visitors: \(place) is left out: \(problem)")
    }
    return nil
  }

  /// `{"eai":{"eas":"score"}}`; nil for anything else.
  private static func score(_ root: JSONNode) -> [Attribute]? {
    root["eai"]?["eas"]?.utf8.map { [Attribute(name: Array("eai::eas".utf8), value: .string(Array($0)))] }
  }

  /// Sends what a host has collected for the emotion score.
  /// - Parameters:
  ///   - event: a JSON object, in the service's form.
  ///   - completion: once; whether it was taken.
  func collect(_ event: [UInt8], completion: @escaping @Sendable (Status) -> Void) {
    host.scheduler.assertCurrent()
    guard account.current.collectsEmotions, settings.usesEmotionScore else { return completion(.unsupported) }
    guard host.isOnline else { return completion(.network) }
    requests.send(ServiceRequest(settings).post(settings.addresses.emotionEvents, body: event)) { answer in
      if case .success(let response) = answer, 200...299 ~= response.status { completion(.ok) } else { completion(.network) }
    }
  }

  func stop() { requests.cancelAll() }
  func setOnline(_ isOnline: Bool) { if !isOnline { requests.cancelAll() } }
  func abandonAfterFork() { requests.abandonAfterFork() }
}

/// Answers that are waited for together. On the scheduler's thread.
private final class Gathering: @unchecked Sendable {
  private var missing: Int
  private var pairs: [Attribute] = []
  private let completion: VisitorSegments.Completion

  init(_ count: Int, _ completion: @escaping VisitorSegments.Completion) {
    missing = count
    self.completion = completion
    if count == 0 { completion([]) }
  }

  func take(_ more: [Attribute]) {
    pairs += more
    missing -= 1
    if missing == 0 { completion(pairs) }
  }

  func take(_ more: [Attribute], _ log: Log, _ warning: String) {
    log.warning(warning)
    take(more)
  }
}
