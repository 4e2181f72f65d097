/// What the service has of a visitor, read in the service's order (protocols/kameleoon.md 2.7). Times are milliseconds of
/// Unix time.
struct RemoteVisitorData: Sendable {
  /// One of an index; the values as the service keeps them.
  var customData: [CustomData] = []
  /// One of a URL.
  var pages: [PageVisit] = []
  var device: Device?
  var browser: Browser?
  var operatingSystem: OperatingSystem?
  var geolocation: Geolocation?
  var conversions: [(conversion: Conversion, time: Int64)] = []
  /// One of an experiment; none waits to be sent.
  var assignments: [Assignment] = []
  /// One of an id.
  var personalizations: [PersonalizationSeen] = []
  /// nil when there was no visit before the current one.
  var visits: VisitHistory?
  /// nil when the answer has none: the known ones stay.
  var keyMomentScores: [KeyMomentScore]?
  var banditScores: [BanditScore]?
  /// Of the latest visit that has one (KAM-53); nil for none, or when it was not asked for.
  var visitorCode: [UInt8]?
}

/// What a host gets of a visitor's visits.
extension RemoteVisitorData {
  /// Visits, experiments, scores and personalizations are not among it (KAM-46; protocols/kameleoon.md 2.7).
  var data: [VisitorDatum] {
    var data = customData.map { VisitorDatum.customData($0) }
    for page in pages { data.append(.pageView(PageView(url: page.url, title: page.title))) }
    if let device { data.append(.device(device)) }
    if let browser { data.append(.browser(browser)) }
    if let operatingSystem { data.append(.operatingSystem(operatingSystem)) }
    if let geolocation { data.append(.geolocation(geolocation)) }
    for (conversion, _) in conversions { data.append(.conversion(conversion)) }
    return data
  }
}

/// Times that lie too far ahead of this machine's clock would be of this visit for good.
extension RemoteVisitorData {
  /// The same, with what is not believed as of now (contract 9).
  func believed(now: Int64) -> RemoteVisitorData {
    var own = self
    func believe(_ time: inout Int64) { if TimeStamps.isTooFarAhead(time, now: now) { time = now } }
    for index in own.pages.indices { believe(&own.pages[index].lastTime) }
    for index in own.conversions.indices { believe(&own.conversions[index].time) }
    for index in own.assignments.indices { believe(&own.assignments[index].time) }
    for index in own.personalizations.indices { believe(&own.personalizations[index].time) }
    own.visits?.believe { believe(&$0) }
    return own
  }
}
