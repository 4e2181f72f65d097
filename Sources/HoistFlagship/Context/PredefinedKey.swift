internal import HoistBase
internal import HoistCore

/// The context keys that the service knows (FS-109 to FS-128, and `sdk_ip` of FS-200); the numbers of
/// `hoist/flagship/context.h`.
public enum PredefinedKey: Int32, BitwiseCopyable, Sendable, CaseIterable {
  case firstTimeInit = 0
  case locale
  case deviceType
  case deviceModel
  case locationCity
  case locationRegion
  case locationCountry
  case locationLatitude
  case locationLongitude
  case osName
  case osVersionCode
  case osVersionName
  case carrierName
  case devMode
  case internetConnection
  case appVersionName
  case appVersionCode
  case flagshipVersion
  case interfaceName
  case ip

  /// As the service spells it.
  public var name: StaticString {
    switch self {
    case .firstTimeInit: "sdk_firstTimeInit"
    case .locale: "sdk_deviceLanguage"
    case .deviceType: "sdk_deviceType"
    case .deviceModel: "sdk_deviceModel"
    case .locationCity: "sdk_city"
    case .locationRegion: "sdk_region"
    case .locationCountry: "sdk_country"
    case .locationLatitude: "sdk_lat"
    case .locationLongitude: "sdk_long"
    case .osName: "sdk_osName"
    case .osVersionCode: "sdk_osVersionCode"
    case .osVersionName: "sdk_osVersionName"
    case .carrierName: "sdk_carrierName"
    case .devMode: "sdk_devMode"
    case .internetConnection: "sdk_internetConnection"
    case .appVersionName: "sdk_versionName"
    case .appVersionCode: "sdk_versionCode"
    case .flagshipVersion: "sdk_fsVersion"
    case .interfaceName: "sdk_interfaceName"
    case .ip: "sdk_ip"
    }
  }

  enum ValueType: Sendable {
    case text, boolean, double, integer, address

    var name: String {
      switch self {
      case .text: "a text"
      case .boolean: "a boolean"
      case .double: "a double"
      case .integer: "an integer"
      case .address: "an IPv4 or IPv6 address"
      }
    }
  }

  var type: ValueType {
    switch self {
    case .firstTimeInit, .devMode: .boolean
    case .locationLatitude, .locationLongitude: .double
    case .appVersionCode: .integer
    case .ip: .address
    case .locale, .deviceType, .deviceModel, .locationCity, .locationRegion, .locationCountry, .osName, .osVersionCode,
      .osVersionName, .carrierName, .internetConnection, .appVersionName, .flagshipVersion, .interfaceName:
      .text
    }
  }

  init?(named name: ByteView) {
    guard Self.isPossible(name), let key = Self.allCases.first(where: { name.reads($0.name) }) else { return nil }
    self = key
  }

  /// Whether a name begins as these keys do.
  static func isPossible(_ name: ByteView) -> Bool { prefix.withBytes { name.hasPrefix($0) } }
  private static let prefix: StaticString = "sdk_"

  /// Integers and doubles are different types (4.6).
  func takes(_ value: AttributeValue) -> Bool {
    switch (type, value) {
    case (.text, .string), (.boolean, .bool), (.double, .double), (.integer, .int): true
    case (.address, .string(let text)): text.withBytes { IPAddress($0) != nil }
    default: false
    }
  }

  /// The same of a value that is compared.
  func takes(_ value: Comparand) -> Bool {
    switch (type, value.plain.kind) {
    case (.text, .string), (.boolean, .bool), (.double, .double), (.integer, .int): true
    case (.address, .string): IPAddress(value.text) != nil
    default: false
    }
  }
}

/// Keys that only the SDK sets (FS-200).
enum ReservedKey {
  static let allUsers: StaticString = "fs_all_users"
  static let users: StaticString = "fs_users"
  static let client: StaticString = "fs_client"
  static let version: StaticString = "fs_version"

  static func isOne(_ name: ByteView) -> Bool {
    name.reads(allUsers) || name.reads(users) || name.reads(client) || name.reads(version)
  }
}
