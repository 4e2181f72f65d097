/// How much of a document is accepted before it is refused.
///
/// A tree takes up to some 250 bytes of memory per value whatever the text's size, so the number of
/// values is limited beside the number of bytes.
public struct JSONLimits: Sendable, Equatable {
  /// Of the whole text.
  public var maximumBytes: Int
  /// Of one string or member name, between its quotes.
  public var maximumStringBytes: Int
  /// Of one document: scalars and containers, member names not counted.
  public var maximumValues: Int
  /// Objects and arrays around a value. Never more than `greatestDepth`: a deeper tree could not be
  /// freed on a small thread stack, because jansson frees recursively.
  public var maximumDepth: Int {
    didSet { maximumDepth = Self.clamp(maximumDepth) }
  }

  public static let greatestDepth = 1024
  public static let standard = JSONLimits()

  public init(
    maximumBytes: Int = 64 << 20, maximumStringBytes: Int = 16 << 20, maximumValues: Int = 4_000_000,
    maximumDepth: Int = 512
  ) {
    self.maximumBytes = maximumBytes
    self.maximumStringBytes = maximumStringBytes
    self.maximumValues = maximumValues
    self.maximumDepth = Self.clamp(maximumDepth)
  }

  private static func clamp(_ depth: Int) -> Int { min(max(depth, 0), greatestDepth) }
}
