import HoistBase

/// URLs as they may be shown.
enum RedactedURL {
  /// Without user, password and query, which may be secrets.
  static func text(_ url: String) -> String { url.isEmpty ? "" : URLText.redacted(url) }
}
