internal import HoistBase
internal import HoistCore

/// Which visitors are reported of (protocols/flagship.md 6.4).
enum Sampling {
  /// In a thousand, counted from 0.
  private static let usageLimit: UInt32 = 1

  /// A day of UTC, as visitors are drawn by it.
  struct Day: Sendable {
    private let number: Int64
    fileprivate let digits: [UInt8]

    init(at unixMilliseconds: Int64) {
      number = Self.number(at: unixMilliseconds)
      digits = RFC3339.text(unixMilliseconds: unixMilliseconds).utf8.prefix(10).filter { $0 != UInt8(ascii: "-") }
    }

    /// Another one where this is over.
    mutating func follow(_ unixMilliseconds: Int64) {
      if Self.number(at: unixMilliseconds) != number { self = Day(at: unixMilliseconds) }
    }

    private static func number(at unixMilliseconds: Int64) -> Int64 { unixMilliseconds / 86_400_000 }
  }

  static func isUsageWanted(of visitorID: [UInt8], on day: Day) -> Bool {
    Murmur3.hash32(visitorID + day.digits) % 1000 <= usageLimit
  }

  static func isTroubleshootingWanted(of visitorID: [UInt8], in window: AccountSettings.Troubleshooting) -> Bool {
    Int64(Murmur3.hash32(visitorID + window.endText) % 100) <= window.traffic
  }
}
