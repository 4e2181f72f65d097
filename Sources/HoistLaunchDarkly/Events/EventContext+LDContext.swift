internal import HoistBase

extension EventContext {
  convenience init(_ context: LDContext, _ redaction: Redaction) {
    let redacted = RedactedContext(context, redaction)
    self.init(
      fullyQualifiedKey: context.fullyQualifiedKey, kinds: context.kinds, json: redacted.json,
      anonymousJSON: redacted.featureJSON, fingerprint: context.requestJSON.withBytes { Hash64.hash($0) })
  }
}
