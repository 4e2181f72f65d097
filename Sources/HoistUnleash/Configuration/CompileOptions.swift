internal import Glibc
internal import HoistBase
public import HoistCore
public import HoistJSON

/// What a document may hold at most; one beyond is refused as a whole.
public struct UnleashLimits: Sendable {
  public var json = JSONLimits()
  public var flags = 100_000
  /// Of one flag.
  public var strategies = 1_000
  /// Of one strategy or segment.
  public var constraints = 1_000
  /// Of one constraint or override.
  public var values = 1_000_000
  /// Of the document, and as references of one strategy.
  public var segments = 100_000
  /// Of one flag or strategy.
  public var variants = 1_000
  /// Of one variant.
  public var overrides = 1_000
  /// Of one strategy.
  public var parameters = 1_000
  /// Of one flag.
  public var dependencies = 1_000

  public init() {}
}

/// How a configuration is compiled.
public struct UnleashOptions: Sendable {
  /// The client's own `appName` and `environment`: what those fields hold when no context sets them.
  public var appName: String?
  public var environment: String?
  /// False compiles a snapshot without counters.
  public var countsReads = true
  /// Impressions for all flags, whatever their own setting.
  public var impressionDataAll = false
  /// What `applicationHostname` compares with.
  public var hostName = UnleashOptions.ownHostName
  /// Nil makes every REGEX constraint a compile failure.
  public var regexEngine: (any RegexEngine)?
  /// Custom strategies by the bytes of their names.
  public var strategies: [[UInt8]: any UnleashStrategy] = [:]
  public var limits = UnleashLimits()

  public init() {}

  /// The environment variable `hostname`, else the machine's name.
  public static var ownHostName: String {
    if let name = Environment.value("hostname") { return name }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, gethostname(start, 255) == 0 else { return "" }
      start[255] = 0
      return String(cString: start)
    }
  }
}
