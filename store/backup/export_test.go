package backup

// Tests do not wait for what makes a passphrase hard to guess.
func init() { chosenWorkFactor = 5 }
