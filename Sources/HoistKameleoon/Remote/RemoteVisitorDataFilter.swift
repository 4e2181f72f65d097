/// What is asked of a visitor's visits (KAM-49 to KAM-53, KAM-B06, KAM-B22; protocols/kameleoon.md 2.7).
public struct RemoteVisitorDataFilter: Sendable, Equatable {
  /// The numbers of `hoist/kameleoon/remote.h`.
  public struct Parts: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// KAM-52
    public static let kcs = Parts(rawValue: 1)
    public static let currentVisit = Parts(rawValue: 2)
    public static let customData = Parts(rawValue: 4)
    public static let conversions = Parts(rawValue: 8)
    public static let geolocation = Parts(rawValue: 16)
    public static let experiments = Parts(rawValue: 32)
    public static let pageViews = Parts(rawValue: 64)
    public static let personalization = Parts(rawValue: 128)
    public static let cbs = Parts(rawValue: 256)
    public static let device = Parts(rawValue: 512)
    public static let browser = Parts(rawValue: 1024)
    public static let operatingSystem = Parts(rawValue: 2048)
    /// The code of the most recent visit becomes the one that the visitor is decided by.
    public static let visitorCode = Parts(rawValue: 4096)
    static let all = Parts(rawValue: 8191)

    /// In the order of their bits, from the first: the others are not asked for by name.
    fileprivate static let queryNames: [StaticString] = [
      "kcs", "currentVisit", "customData", "conversion", "geolocation", "experiment", "page", "personalization", "cbs",
    ]
  }

  static let previousVisitAmounts: ClosedRange<Int64> = 1...25

  public var previousVisitAmount: Int64
  public var parts: Parts

  public init(previousVisitAmount: Int64 = 1, parts: Parts = [.currentVisit, .customData, .visitorCode]) {
    self.previousVisitAmount = previousVisitAmount
    self.parts = parts
  }

  /// With an amount that the service takes (2.7).
  var clamped: RemoteVisitorDataFilter {
    let amounts = Self.previousVisitAmounts
    return RemoteVisitorDataFilter(
      previousVisitAmount: min(max(previousVisitAmount, amounts.lowerBound), amounts.upperBound), parts: parts)
  }

  /// The part of a URL that asks for it, after what names the site.
  /// - Parameter isUnique: whether the code is a unique identifier.
  func query(visitorCode: [UInt8], isUnique: Bool) -> String {
    let visitor = "\(isUnique ? "mappingValue" : "visitorCode")=\(ServiceAddresses.encode(visitorCode))"
    var query = "&\(visitor)&maxNumberPreviousVisits=\(previousVisitAmount)&version=0&staticData=true"
    for (bit, name) in Parts.queryNames.enumerated() where parts.rawValue >> bit & 1 == 1 { query += "&\(name)=true" }
    return query
  }
}
