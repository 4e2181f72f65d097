internal import HoistBase

/// A pattern and how it is matched.
struct ExpressionKey: Hashable {
  let pattern: BytesKey
  let foldsCase: Bool
}
