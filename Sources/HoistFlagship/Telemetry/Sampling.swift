internal import HoistBase
internal import HoistCore

/// Which visitors are reported of (protocols/flagship.md 6.4).
enum Sampling {
  /// In a thousand, counted from 0.
  private static let usageLimit: UInt32 = 1

  static func isUsageWanted(of visitorID: [UInt8], at unixMilliseconds: Int64) -> Bool {
    let day = RFC3339.text(unixMilliseconds: unixMilliseconds).utf8.prefix(10).filter { $0 != UInt8(ascii: "-") }
    return Murmur3.hash32(visitorID + day) % 1000 <= usageLimit
  }

  static func isTroubleshootingWanted(of visitorID: [UInt8], in window: AccountSettings.Troubleshooting) -> Bool {
    Int64(Murmur3.hash32(visitorID + window.endText) % 100) <= window.traffic
  }
}
