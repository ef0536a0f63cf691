sed -i 's/"capital": "Bergen"/"capital": "Oslo"/' länder/norge.json
sed -i 's/Hej hej/Hej, på gensyn 👋/' länder/dånmark*
