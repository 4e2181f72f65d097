public import HoistCore

/// A context that C holds, with the texts that it borrows.
public final class OwnedContext: Sendable {
  public let context: LDContext
  public let kind: CText
  /// Nil for several kinds, and until a client has made one.
  public let key: CText?
  public let fullyQualifiedKey: CText

  public init(_ context: LDContext) {
    self.context = context
    kind = CText(context.kind)
    key = context.key.map { CText($0) }
    fullyQualifiedKey = CText(context.fullyQualifiedKey)
  }
}

/// A builder that C holds. One thread at a time.
public final class HeldBuilder {
  public var builder: LDContextBuilder
  public init(_ builder: LDContextBuilder) { self.builder = builder }
}

/// A builder of several kinds that C holds. One thread at a time.
public final class HeldMultiBuilder {
  public var builder = LDMultiContextBuilder()
  public init() {}
}
