/// Something of a visitor that is to be sent (protocols/kameleoon.md 2.5, 2.6).
struct TrackedDatum: Sendable {
  /// In the order of a visitor's lines.
  enum Kind: UInt8, Sendable {
    case device = 0
    case browser, operatingSystem, geolocation, visits, customData, pageView, assignment, segment, conversion, activity

    /// For lines of the log.
    var name: String {
      switch self {
      case .device: "a device"
      case .browser: "a browser"
      case .operatingSystem: "an operating system"
      case .geolocation: "a geolocation"
      case .visits: "a number of visits"
      case .customData: "custom data"
      case .pageView: "a page view"
      case .assignment: "an assignment"
      case .segment: "a segment"
      case .conversion: "a conversion"
      case .activity: "an activity"
      }
    }
  }

  enum Content: Sendable {
    case device(Device)
    case browser(Browser)
    case operatingSystem(OperatingSystem)
    case geolocation(Geolocation)
    /// Milliseconds; 0 for none.
    case visits(number: Int64, sincePrevious: Int64)
    /// With an index, never a name.
    case customData(CustomData, isMapping: Bool)
    case pageView(PageView)
    case assignment(Assignment)
    case segment(Int64)
    /// Its metadata have indexes, one of each.
    case conversion(Conversion)
    /// For a visitor with nothing else to send.
    case activity
    /// What waits under this kind and key is not to be sent after all.
    case withdrawn
  }

  var kind: Kind
  /// The identity within its kind: a later one of the same key replaces a waiting one; nil replaces none.
  var key: [UInt8]?
  /// Among those of its kind.
  var place: Int64
  var content: Content
}
