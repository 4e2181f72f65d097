internal import HoistJSON

/// The parts of contexts that are left out of events (row LD-83, protocols/launchdarkly.md 3.6). Flag services get
/// everything.
public struct Redaction: Sendable {
  private let hidesAll: Bool
  private let global: [AttributeReference]

  /// - Parameters:
  ///   - allAttributesPrivate: hides every attribute but kind, key and anonymous.
  ///   - globalPrivate: private in every context, beside what a context names itself.
  public init(allAttributesPrivate: Bool = false, globalPrivate: [AttributeReference] = []) {
    hidesAll = allAttributesPrivate
    global = globalPrivate
  }

  /// The context as it stands in events, as compact JSON.
  /// - Parameter hidingAnonymous: hides every attribute of anonymous parts, as feature events do.
  public func json(of context: LDContext, hidingAnonymous: Bool) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: context.requestJSON.count + 64)
    writer.object { writer in
      if let only = context.parts.first, !context.isMulti {
        return write(only, withKind: true, hidingAnonymous, to: &writer)
      }
      writer.member("kind", ContextKind.multi)
      for part in context.parts {
        writer.object(part.kind) { write(part, withKind: false, hidingAnonymous, to: &$0) }
      }
    }
    return writer.bytes
  }

  private func write(
    _ part: SingleContext, withKind: Bool, _ hidingAnonymous: Bool, to writer: inout JSONWriter
  ) {
    let hidesAll = hidesAll || hidingAnonymous && part.isAnonymous
    let references = ReferenceIndex(hidesAll ? [] : global + part.privateAttributes)
    var hidden: [String] = []
    for member in LDObject(part.visibleMembers(withKind: withKind)) {
      let (below, reference) = references.all.narrowed(to: member.name)
      let isShown = Self.isAlwaysShown(member.name)
      if !isShown, hidesAll || reference != nil {
        hidden.append(reference?.raw ?? AttributeReference.reference(to: member.name))
      } else {
        writer.key(member.name)
        member.value.write(to: &writer, hiding: below, into: &hidden)
      }
    }
    guard !hidden.isEmpty else { return }
    writer.object("_meta") { writer in
      writer.array("redactedAttributes") { writer in for reference in hidden { writer.string(reference) } }
    }
  }

  private static func isAlwaysShown(_ name: String) -> Bool {
    name.reads("kind") || name.reads("key") || name.reads("anonymous")
  }
}

/// A context in the forms that events need, made once for all of them.
public struct RedactedContext: Sendable {
  /// For identify, debug and custom events.
  public let json: [UInt8]
  /// For feature events and summaries of one context: anonymous parts without attributes.
  public let featureJSON: [UInt8]

  public init(_ context: LDContext, _ redaction: Redaction) {
    json = redaction.json(of: context, hidingAnonymous: false)
    featureJSON = context.hasAnonymousPart ? redaction.json(of: context, hidingAnonymous: true) : json
  }
}
