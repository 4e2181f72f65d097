internal import HoistBase

/// A datum of a visitor, given by the host (KAM-56, KAM-65; protocols/kameleoon.md 2.6, 4.3).
public enum VisitorDatum: Sendable {
  case customData(CustomData)
  case conversion(Conversion)
  case device(Device)
  case geolocation(Geolocation)
  case browser(Browser)
  case operatingSystem(OperatingSystem)
  case pageView(PageView)
  case userAgent([UInt8])
  /// Replaces all former cookies.
  case cookie([Cookie])
  case applicationVersion([UInt8])
  /// Whether the visitor's code is a unique identifier (KAM-07).
  case uniqueIdentifier(Bool)

  var isPage: Bool { if case .pageView = self { true } else { false } }
}

/// How much one datum holds.
public enum DatumLimits {
  /// Values, cookies, referrers.
  public static let texts = 1_000
  public static let metadata = 100
}

/// Values at an index, or under the name that the configuration has for one (KAM-62, KAM-B14).
public struct CustomData: Sendable, Equatable {
  /// From 0 on; negative for one that is named.
  public var index: Int64
  /// Empty for one with an index.
  public var name: [UInt8]
  /// UTF-8, in the host's order.
  public var values: [[UInt8]]
  /// Whether the service forgets what it has at that index.
  public var overwrites: Bool

  public init(index: Int64, values: [[UInt8]], overwrites: Bool = true) {
    self.index = index
    name = []
    self.values = values
    self.overwrites = overwrites
  }

  public init(name: [UInt8], values: [[UInt8]], overwrites: Bool = true) {
    index = -1
    self.name = name
    self.values = values
    self.overwrites = overwrites
  }

  public var isNamed: Bool { index < 0 }
}

/// A goal that was reached (KAM-61, KAM-B08).
public struct Conversion: Sendable, Equatable {
  public var goalID: Int64
  public var revenue: Double
  public var isNegative: Bool
  public var metadata: [CustomData]

  public init(goalID: Int64, revenue: Double = 0, isNegative: Bool = false, metadata: [CustomData] = []) {
    self.goalID = goalID
    self.revenue = revenue
    self.isNegative = isNegative
    self.metadata = metadata
  }
}

/// KAM-63; the numbers of `hoist/kameleoon/data.h`.
public enum Device: Int32, Sendable, CaseIterable {
  case phone = 0, tablet, desktop
}

/// Numbers as the service has them.
public enum BrowserKind: Int32, Sendable, CaseIterable {
  case chrome = 0, internetExplorer, firefox, safari, opera, other
}

public struct Browser: Sendable, Equatable {
  public var kind: BrowserKind
  /// nil for none.
  public var version: Double?

  public init(kind: BrowserKind, version: Double?) {
    self.kind = kind
    self.version = version
  }
}

/// Numbers as the service has them.
public enum OperatingSystem: Int32, Sendable, CaseIterable {
  case windows = 0, mac, ios, linux, android, windowsPhone
}

/// KAM-64. Unknown texts are empty.
public struct Geolocation: Sendable, Equatable {
  public var country: [UInt8]
  public var region: [UInt8]
  public var city: [UInt8]
  public var postalCode: [UInt8]
  /// Decimal degrees.
  public var latitude: Double?
  public var longitude: Double?

  public init(
    country: [UInt8], region: [UInt8] = [], city: [UInt8] = [], postalCode: [UInt8] = [], latitude: Double? = nil,
    longitude: Double? = nil
  ) {
    self.country = country
    self.region = region
    self.city = city
    self.postalCode = postalCode
    self.latitude = latitude
    self.longitude = longitude
  }
}

public struct PageView: Sendable, Equatable {
  public var url: [UInt8]
  /// nil for none: conditions tell it from an empty one (3.12).
  public var title: [UInt8]?
  public var referrers: [Int64]

  public init(url: [UInt8], title: [UInt8]? = nil, referrers: [Int64] = []) {
    self.url = url
    self.title = title
    self.referrers = referrers
  }
}

public struct Cookie: Sendable, Equatable {
  public var name: [UInt8]
  public var value: [UInt8]

  public init(name: [UInt8], value: [UInt8]) {
    self.name = name
    self.value = value
  }
}

/// What the service has numbers and names for.
protocol ServiceNamed: RawRepresentable<Int32> {
  /// In the order of the numbers.
  static var names: [StaticString] { get }
}

extension ServiceNamed {
  var name: StaticString { Self.names.indices.contains(Int(rawValue)) ? Self.names[Int(rawValue)] : "" }

  init?(name: some ByteSource) {
    guard let number = name.withBytes({ Self.names.firstIndex(reading: $0) }) else { return nil }
    self.init(rawValue: Int32(truncatingIfNeeded: number))
  }

  init?(anyCase name: ByteView) {
    let number = Self.names.firstIndex { known in known.withBytes { ASCII.equalsIgnoringCase($0, name) } }
    guard let number else { return nil }
    self.init(rawValue: Int32(truncatingIfNeeded: number))
  }
}

extension Device: ServiceNamed {
  static var names: [StaticString] { ["PHONE", "TABLET", "DESKTOP"] }
}

extension BrowserKind: ServiceNamed {
  static var names: [StaticString] { ["CHROME", "INTERNET_EXPLORER", "FIREFOX", "SAFARI", "OPERA", "OTHER"] }
}

extension OperatingSystem: ServiceNamed {
  static var names: [StaticString] { ["WINDOWS", "MAC", "IOS", "LINUX", "ANDROID", "WINDOWS_PHONE"] }
}

extension [StaticString] {
  func firstIndex(reading name: ByteView) -> Int? { firstIndex { name.reads($0) } }
}
