package kv

// Space is the records of one workspace within one transaction. Its methods fail with
// [ErrNotFound] where a record is not there and with a *[CorruptError] where it is damaged.
//
// The methods that walk over records go on after a damaged one, and return all that was
// damaged at the end: one bad record hides no other.
type Space struct {
	*records
	WorkspaceSettings
	Campaigns
	Copies
	Users
	ContentItems
	OutboxMessages
	TestSends
	IdempotencyKeys
}

// In returns the records of a workspace. Every method fails where the id is empty or has
// spaces or unprintable characters.
func In(tx Tx, workspace string) Space {
	r := &records{tx, workspace}
	d := Documents{r}
	return Space{
		r, WorkspaceSettings{r}, Campaigns{d, SummaryRows{d}, History{d}}, Copies{r}, Users{r}, ContentItems{r}, OutboxMessages{r}, TestSends{r},
		IdempotencyKeys{r},
	}
}
