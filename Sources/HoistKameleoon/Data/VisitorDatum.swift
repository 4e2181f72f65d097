/// Something a host tells of a visitor (KAM-56, KAM-65; protocols/kameleoon.md 2.6, 4.3).
public enum VisitorDatum: Sendable {
  case customData(CustomData)
  case conversion(Conversion)
  case device(Device)
  case geolocation(Geolocation)
  case browser(Browser)
  case operatingSystem(OperatingSystem)
  case pageView(PageView)
  case userAgent([UInt8])
  /// In place of all cookies of before.
  case cookie([Cookie])
  case applicationVersion([UInt8])
  /// Whether the visitor's code is a unique identifier (KAM-07).
  case uniqueIdentifier(Bool)
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

/// KAM-64. Texts are empty where nothing is told.
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
  /// Empty for none.
  public var title: [UInt8]
  public var referrers: [Int64]

  public init(url: [UInt8], title: [UInt8] = [], referrers: [Int64] = []) {
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
