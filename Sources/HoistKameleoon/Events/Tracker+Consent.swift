internal import HoistBase
internal import HoistCore

/// The last consent of visitors that are not open (KAM-60; protocols/kameleoon.md 4.4). On the scheduler's thread.
extension Tracker {
  /// The visitors that can be sent now; the others follow when their consent is known.
  func known(of chosen: [TrackingRecipient]) -> [TrackingRecipient] {
    host.scheduler.assertCurrent()
    let (known, unknown) = parted(chosen)
    if !unknown.isEmpty { readConsent(of: unknown) { [weak self] in self?.sendNow($0) } }
    return known
  }

  /// - Returns: those whose consent is in memory, or does not matter; and those whose consent has to be read.
  func parted(_ chosen: [TrackingRecipient]) -> (known: [TrackingRecipient], unknown: [TrackingRecipient]) {
    var (known, unknown): ([TrackingRecipient], [TrackingRecipient]) = ([], [])
    for recipient in chosen {
      let isUnknown =
        recipient.hasConsent == nil && policy.isAnswerStored(of: recipient)
        && visitors?.visitor(of: recipient.identity.code) == nil
      if isUnknown { unknown.append(recipient) } else { known.append(recipient) }
    }
    return (known, unknown)
  }

  /// - Parameter completion: once, with what was found; at once where there is nothing to read.
  func readConsent(of recipients: [TrackingRecipient], completion: @escaping @Sendable ([TrackingRecipient]) -> Void) {
    host.scheduler.assertCurrent()
    guard let visitors, !recipients.isEmpty else { return completion(recipients) }
    let answers = LockedValue((found: [TrackingRecipient](), missing: recipients.count))
    for recipient in recipients {
      visitors.readConsent(of: recipient.identity) { hasConsent in
        let all = answers.withLock { answers -> [TrackingRecipient]? in
          var recipient = recipient
          recipient.hasConsent = hasConsent
          answers.found.append(recipient)
          answers.missing -= 1
          return answers.missing == 0 ? answers.found : nil
        }
        if let all { completion(all) }
      }
    }
  }
}
