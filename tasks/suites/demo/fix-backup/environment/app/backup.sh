# Copies every file of a folder to another folder: sh backup.sh FROM TO
mkdir $2
for file in $(ls $1); do
  cp $1/$file $2
done
