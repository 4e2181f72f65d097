internal import HoistBase
internal import HoistCore

/// A visitor saw a flag's value (protocols/flagship.md 5.4; FS-26 to FS-29): everything that is reported of it,
/// borrowed for one call.
struct Exposure {
  let visitorID: ByteView
  let anonymousID: ByteView?
  /// nil for an empty one.
  let context: FrozenContext?
  let key: ByteView
  /// The flag's own value as JSON, whatever the caller got.
  let value: ByteView
  /// What the caller named in its place; of the kind `.none` where there was none.
  let fallback: EvaluationFallback
  /// Only `ids` where there is no observer of the rest.
  let metadata: FlagMetadata
}
