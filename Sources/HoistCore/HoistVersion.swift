/// The library's version, the same as in `hoist/base.h`.
public enum HoistVersion {
  public static let major: UInt32 = 0
  public static let minor: UInt32 = 1
  public static let patch: UInt32 = 0
  public static let text = "0.1.0"
}
