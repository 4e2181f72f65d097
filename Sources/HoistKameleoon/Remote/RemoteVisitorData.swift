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
  /// nil when the answer has none: what is known stays.
  var keyMomentScores: [KeyMomentScore]?
  var banditScores: [BanditScore]?
  /// Of the latest visit that has one (KAM-53); nil for none, or when nobody asked.
  var visitorCode: [UInt8]?
}
