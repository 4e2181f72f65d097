/// A version of Semantic Versioning 2.0.0, read strictly (semver.org, sections 2, 9 and 10): three
/// numbers without leading zeros, each below 2^64, then `-` and `.`-separated identifiers of
/// `[0-9A-Za-z-]`, then `+` and such identifiers. No `v`, no blanks, nothing left out unless asked for.
///
/// Plain memory: the pre-release part is kept as its place in the text that was read.
@frozen public struct SemanticVersion: Sendable, BitwiseCopyable {
  public let major: UInt64
  public let minor: UInt64
  public let patch: UInt64
  /// Where the pre-release identifiers begin in the text.
  public let prereleaseOffset: Int
  /// 0 for a release.
  public let prereleaseCount: Int

  /// - Parameter mayLackNumbers: the second number and the third are 0 where they are not written.
  public init?(_ text: ByteView, mayLackNumbers: Bool = false) {
    var cursor = ByteCursor(text)
    func next(_ cursor: inout ByteCursor) -> UInt64? {
      cursor.take(0x2E) ? Self.takeNumber(&cursor) : mayLackNumbers ? 0 : nil
    }
    guard let major = Self.takeNumber(&cursor), let minor = next(&cursor), let patch = next(&cursor) else { return nil }
    self.major = major
    self.minor = minor
    self.patch = patch
    let hasPrerelease = cursor.take(0x2D)
    prereleaseOffset = cursor.position
    if hasPrerelease {
      guard Self.takeIdentifiers(&cursor, numbersMayBePadded: false) else { return nil }
    }
    prereleaseCount = cursor.position - prereleaseOffset
    if cursor.take(0x2B) {
      guard Self.takeIdentifiers(&cursor, numbersMayBePadded: true) else { return nil }
    }
    guard cursor.isAtEnd else { return nil }
  }

  /// Precedence (section 11): the build part counts for nothing.
  /// - Parameters:
  ///   - text: what this version was read from.
  ///   - otherText: what `other` was read from.
  public func order(in text: ByteView, against other: Self, in otherText: ByteView) -> Ordering {
    if major != other.major { return Ordering(of: major, against: other.major) }
    if minor != other.minor { return Ordering(of: minor, against: other.minor) }
    if patch != other.patch { return Ordering(of: patch, against: other.patch) }
    if prereleaseCount == 0 || other.prereleaseCount == 0 {
      // A release follows its pre-releases.
      return Ordering(of: prereleaseCount == 0 ? 1 : 0, against: other.prereleaseCount == 0 ? 1 : 0)
    }
    return Self.order(prerelease(in: text), other.prerelease(in: otherText))
  }

  /// The precedence of two texts; nil when one of them is no version.
  public static func order(_ left: some ByteSource, _ right: some ByteSource) -> Ordering? {
    left.withBytes { leftText in
      right.withBytes { rightText in
        guard let one = SemanticVersion(leftText), let other = SemanticVersion(rightText)
        else { return nil }
        return one.order(in: leftText, against: other, in: rightText)
      }
    }
  }

  /// The pre-release identifiers in the text this version was read from; empty for a release.
  public func prerelease(in text: ByteView) -> ByteView {
    text.view(from: prereleaseOffset, to: prereleaseOffset + prereleaseCount)
  }

  private static func takeNumber(_ cursor: inout ByteCursor) -> UInt64? {
    let start = cursor.position
    let count = cursor.take(while: ASCII.isDigit)
    let digits = cursor.bytes.view(from: start, to: start + count)
    if count > 1, digits[0] == 0x30 { return nil }
    return IntegerParser.parse(digits, as: UInt64.self).value
  }

  private static func takeIdentifiers(
    _ cursor: inout ByteCursor, numbersMayBePadded: Bool
  ) -> Bool {
    repeat {
      let identifier = takeIdentifier(&cursor)
      guard identifier.count > 0 else { return false }
      let isPadded = identifier.count > 1 && identifier[0] == 0x30 && isNumeric(identifier)
      guard !isPadded || numbersMayBePadded else { return false }
    } while cursor.take(0x2E)
    return true
  }

  private static func takeIdentifier(_ cursor: inout ByteCursor) -> ByteView {
    let start = cursor.position
    cursor.take { ASCII.isAlphanumeric($0) || $0 == 0x2D }
    return cursor.bytes.view(from: start, to: cursor.position)
  }

  /// Identifier by identifier; the shorter list first when one begins the other.
  private static func order(_ left: ByteView, _ right: ByteView) -> Ordering {
    var leftCursor = ByteCursor(left)
    var rightCursor = ByteCursor(right)
    while true {
      let one = takeIdentifier(&leftCursor)
      let other = takeIdentifier(&rightCursor)
      let result = orderOfIdentifiers(one, other)
      if result != .equal { return result }
      let leftGoesOn = leftCursor.take(0x2E)
      let rightGoesOn = rightCursor.take(0x2E)
      guard leftGoesOn, rightGoesOn else {
        return Ordering(of: leftGoesOn ? 1 : 0, against: rightGoesOn ? 1 : 0)
      }
    }
  }

  /// Numbers by value and before everything else; the rest by ASCII. Numbers have no limit here:
  /// without leading zeros the longer one is the greater.
  private static func orderOfIdentifiers(_ left: ByteView, _ right: ByteView) -> Ordering {
    switch (isNumeric(left), isNumeric(right)) {
    case (true, false): .less
    case (false, true): .greater
    case (false, false): left.order(against: right)
    case (true, true):
      left.count == right.count
        ? left.order(against: right) : Ordering(of: left.count, against: right.count)
    }
  }

  private static func isNumeric(_ identifier: ByteView) -> Bool {
    identifier.allSatisfy(ASCII.isDigit)
  }
}
