internal import HoistBase

/// What a report of troubleshooting is about; the vendor's words (protocols/flagship.md 6.4).
enum TroubleshootingLabel: String, CaseIterable, Sendable {
  case fetchCampaigns = "VISITOR_FETCH_CAMPAIGNS"
  case authenticate = "VISITOR_AUTHENTICATE"
  case unauthenticate = "VISITOR_UNAUTHENTICATE"
  case sendHit = "VISITOR_SEND_HIT"
  case sendActivate = "VISITOR_SEND_ACTIVATE"
  case bucketingFile = "SDK_BUCKETING_FILE"
  case bucketingFileError = "SDK_BUCKETING_FILE_ERROR"
  case campaignsError = "GET_CAMPAIGNS_ROUTE_RESPONSE_ERROR"
  case hitsError = "SEND_BATCH_HIT_ROUTE_RESPONSE_ERROR"
  case activateError = "SEND_ACTIVATE_HIT_ROUTE_ERROR"
  case valueOfUnknownFlag = "GET_FLAG_VALUE_FLAG_NOT_FOUND"
  case exposureOfUnknownFlag = "VISITOR_EXPOSED_FLAG_NOT_FOUND"
  case valueOfOtherType = "GET_FLAG_VALUE_TYPE_WARNING"
  case exposureBeforeValue = "FLAG_EXPOSED_BEFORE_CALLING_VALUE_METHOD"
  case httpCall = "HTTP_CALL"
  case errorCaught = "ERROR_CATCHED"

  /// The `logLevel` of the report, which follows from the label.
  static func logLevel(of label: String) -> String {
    if has("ERROR", label) { return "ERROR" }
    return has("WARNING", label) || has("FLAG_NOT_FOUND", label) ? "WARNING" : "INFO"
  }

  private static func has(_ word: StaticString, _ label: String) -> Bool {
    label.withBytes { label in word.withBytes { label.containsBytes($0) } }
  }
}
