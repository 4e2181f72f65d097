import HoistJSON

/// Runs the cases of one file.
typealias VectorKind = @Sendable (_ root: JSONValue, _ report: Report) -> Void

/// A vendor's kinds of files, and which of them a file is.
struct Vendor: Sendable {
  var kinds: [String: VectorKind]
  /// The kind of a file that does not name one; nil for a file that holds no vectors.
  var kindOfUnnamed: @Sendable (JSONValue) -> String?
}
